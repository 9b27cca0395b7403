// A call that is heard while it is up, in a real browser, under the page's own policy.
import { expect } from 'vitest';
import { Caller } from '../integration/sandbox/caller.ts';
import { browserTest, testBrowser } from '../support/browser.ts';
import { testSandbox } from '../support/sandbox.ts';
import { until } from '../support/wait.ts';

const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; media-src 'self'";
const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
const body = Buffer.from('<!doctype html><title>heard</title><audio></audio>');
const sandbox = await testSandbox({ pages: { answer: () => ({ status: 200, headers, body }) } });
const to = '+213551234567';

/** What is asked of `<audio>`: its type is of the browser's own library, which tests do not have. */
interface Sound {
  src: string;
  currentTime: number;
  ended: boolean;
  error: unknown;
  play(): Promise<void>;
}

browserTest('is played while it is spoken, and ends with the call', async () => {
  const caller = await Caller.open(sandbox.phones!.port, to);
  caller.invite();
  const challenge = (await caller.answered(407)).headers.get('proxy-authenticate') ?? '';
  caller.ackRefusal(407);
  caller.invite({ headers: [caller.login(challenge, 'ramz-trunk', 'trunk-pw')] });
  await caller.answered(200);
  caller.ack();
  const call = () => sandbox.phones!.calls.list().at(-1)!;
  await until(() => call()?.state === 'answered', { what: 'the call to be up' });

  const browser = await testBrowser(['--mute-audio', '--autoplay-policy=no-user-gesture-required']);
  const page = await browser.newPage();
  await page.goto(sandbox.httpUrl);
  await page.$eval(
    'audio',
    (audio, src) => {
      const sound = audio as unknown as Sound;
      sound.src = src;
      // Settles only once something is heard.
      void sound.play().catch(() => {});
    },
    `${call().wav}?live=1`,
  );
  const state = () =>
    page.$eval('audio', (audio) => {
      const { currentTime, ended, error } = audio as unknown as Sound;
      return { currentTime, ended, error };
    });
  // Speech of three seconds, and the call goes on.
  await caller.speak(Buffer.alloc(3 * 8_000, 'some words that are no digits'));
  await until(async () => (await state()).currentTime > 1, { what: 'something to be heard' });
  expect([call().state, (await state()).ended]).toEqual(['answered', false]);
  sandbox.phones!.hangUp(to);
  await until(async () => (await state()).ended, { what: 'the end to be heard' });
  expect((await state()).currentTime).toBeCloseTo(3, 1);
  expect((await state()).error).toBeNull();
  caller.close();
});
