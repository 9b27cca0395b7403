// A business links its own WhatsApp account in a real browser, by the page we serve and the sandbox's stand-in for the
// platform's window; then its codes go out from its own number.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserTest, testBrowser } from '../support/browser.ts';
import { testService } from '../support/service.ts';
import type { Waba } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging });
const server = await service.startHere();
const { live } = server;
await sandbox.platform.subscriptions.subscribe(
  `${server.http}/v1/callbacks/messaging`,
  sandbox.messagingIdentity.verifyToken,
);

/** Set to look at the pages: the pictures land there. */
const pictures = process.env.RAMZ_TEST_PICTURES;

let context: BrowserContext | undefined;
/** What the browser complained of, above all what the policy forbade. */
let complaints: string[] = [];
afterEach(async () => {
  await context?.close();
  context = undefined;
  await live.call('DELETE', '/v1/waba');
});

/** `script`: runs in the page before everything else. */
async function open(url: string, script?: string): Promise<Page> {
  complaints = [];
  context = await (await testBrowser()).newContext({ viewport: { width: 900, height: 760 } });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  if (script !== undefined) await page.addInitScript(script);
  await page.goto(url);
  return page;
}

async function signup(language = ''): Promise<string> {
  const { status, body } = await live.call<{ url: string }>('POST', '/v1/waba/signups', { language });
  expect(status).toBe(200);
  return body.url;
}

/** Opens the platform's window by the page's button. */
async function platformWindow(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.click('#start:not([disabled])');
  const popup = await opened;
  await popup.waitForSelector('#finish');
  return popup;
}

/** A button by which the platform's window ends: it may close while it is being clicked. */
async function press(popup: Page, button: string): Promise<void> {
  const closed = popup.waitForEvent('close');
  await popup.click(button).catch((error) => {
    if (!popup.isClosed()) throw error;
  });
  await closed;
}

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const noteOf = (page: Page, kind: string) => page.waitForSelector(`#note.${kind}:not(:empty)`);
const wabaNow = async () => (await live.call<Waba>('GET', '/v1/waba')).body;

browserTest('from the link to a code from the business’s own number', async () => {
  const page = await open(await signup());
  expect(await page.textContent('.for')).toBe('pour E2E');
  await picture(page, 'start-fr');
  const popup = await platformWindow(page);
  await popup.fill('#business', 'Boutique Exemple');
  await picture(popup, 'platform');
  await press(popup, '#finish');
  await page.waitForSelector('#steps:not([hidden])');
  await picture(page, 'working-fr');
  await noteOf(page, 'good');
  await picture(page, 'connected-fr');
  expect(await page.$$eval('#steps li.done', (items) => items.length)).toBe(7);
  expect(complaints).toEqual([]);

  const linked = await wabaNow();
  expect(linked).toMatchObject({
    status: 'connected',
    step: '',
    reason: '',
    display_name: 'Boutique Exemple',
    phone_number: '+213550009901',
    templates: ['ar', 'en', 'fr'].map((language) => ({ language, status: 'approved' })),
  });
  const to = '+213557312345';
  const { id } = await live.send(to, { cascade: [{ channel: 'whatsapp' }] });
  const session = await live.sessionWhen(id, 'the app to deliver', ({ delivery }) => delivery === 'delivered');
  expect(session.messages).toMatchObject([{ sender_id: 'Boutique Exemple', cost: { billed_by: 'platform' } }]);
  const [seen] = sandbox.inbox.list({ to, channel: 'whatsapp' });
  expect(seen?.from).toBe('Boutique Exemple');
  expect(await live.check(id, /\d{6}/.exec(seen?.text ?? '')?.[0] ?? '')).toMatchObject({ valid: true });

  const connected = await until(() => sandbox.events().find(({ type }) => type === 'waba.connected'), { what: 'told' });
  expect(connected.data).toMatchObject({
    waba_id: linked.waba_id,
    phone_number_id: linked.phone_number_id,
    reason: '',
  });
});

browserTest('elements named like what the script looks for do not stand in its way', async () => {
  const names = ['FB', 'fbAsyncInit', 'words', 'half', 'open', 'fetch', 'history', 'JSON', 'setTimeout'];
  const elements = names.map((name) => `<a id="${name}"></a><a id="${name}" name="init"></a>`).join('');
  // As soon as the page has a body, which is before its module runs. A response that the test answers with would not do: its page may load
  // nothing from loopback.
  const insert = `new MutationObserver((_, observer) => {
    if (!document.body) return;
    observer.disconnect();
    document.body.insertAdjacentHTML('afterbegin', ${JSON.stringify(elements)});
  }).observe(document, { childList: true, subtree: true })`;
  const page = await open(await signup('en'), insert);
  expect(await page.evaluate('document.getElementById("FB").tagName')).toBe('A');
  await press(await platformWindow(page), '#finish');
  await noteOf(page, 'good');
  expect(complaints).toEqual([]);
  expect(await wabaNow()).toMatchObject({ status: 'connected' });
});

describe('an answer of the window never comes', () => {
  const withhold = (answers: 'none' | 'code' | 'ids' | 'both') => {
    sandbox.platform.faults.signupWithholds = answers;
  };
  afterEach(() => withhold('none'));

  browserTest('not the ids: they are found by the code, and the account is linked', async () => {
    withhold('ids');
    const page = await open(await signup('en'));
    const popup = await platformWindow(page);
    await press(popup, '#finish');
    await noteOf(page, 'good');
    expect(complaints).toEqual([]);
    expect(await wabaNow()).toMatchObject({ status: 'connected', phone_number: '+213550009901' });
  });

  for (const answers of ['code', 'both'] as const) {
    browserTest(`${answers}: said in plain words, and the same page can start again`, async () => {
      withhold(answers);
      const page = await open(await signup('en'));
      await press(await platformWindow(page), '#finish');
      const note = await noteOf(page, 'bad');
      expect(await note.textContent()).toMatch(/gave no answer.*without a window/);
      await picture(page, `no-answer-${answers}-en`);
      withhold('none');
      await press(await platformWindow(page), '#finish');
      await noteOf(page, 'good');
    });
  }

  browserTest('a window that stays open after its message, and no code: words, and the button', async () => {
    const page = await open(await signup('en'));
    const popup = await platformWindow(page);
    await page.clock.install();
    // The window's own message, and nothing more.
    await popup.evaluate(`opener.postMessage(JSON.stringify({ type: 'WA_EMBEDDED_SIGNUP', event: 'FINISH', version: 3,
      data: { waba_id: '111111111', phone_number_id: '222222222' } }), '*')`);
    await until(
      async () => {
        await page.clock.runFor(5_000);
        return (await page.$('#note.bad:not(:empty)')) !== null;
      },
      { what: 'the words' },
    );
    expect(await page.textContent('#note')).toMatch(/not complete/);
    expect(await page.isEnabled('#start')).toBe(true);
  });

  browserTest('a window that never opened: said at once', async () => {
    const page = await open(await signup('ar'));
    await page.evaluate('window.open = () => null');
    await page.click('#start:not([disabled])');
    await noteOf(page, 'bad');
    expect(await page.isEnabled('#start')).toBe(true);
    expect(await page.isVisible('#without a')).toBe(true);
    await picture(page, 'blocked-ar');
  });
});

describe('without a window', () => {
  browserTest('the platform has the whole page, comes back with a code, and the account is linked', async () => {
    const page = await open(await signup('fr'));
    await page.click('#without a');
    await page.waitForSelector('#finish');
    await page.click('#finish');
    await page.waitForSelector('#steps:not([hidden])');
    await noteOf(page, 'good');
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    expect(page.url()).not.toContain('code=');
    await picture(page, 'whole-page-fr');
    expect(await wabaNow()).toMatchObject({ status: 'connected', phone_number: '+213550009901' });
  });

  browserTest('stopped there: nothing is linked, and the page starts again', async () => {
    const page = await open(await signup('en'));
    await page.click('#without a');
    await page.click('#cancel');
    const note = await noteOf(page, 'bad');
    expect(await note.textContent()).toMatch(/Nothing was connected/);
    await press(await platformWindow(page), '#finish');
    await noteOf(page, 'good');
  });
});

browserTest('the window is opened as version 4 wants it, and the old form is refused', async () => {
  const page = await open(await signup('en'));
  const popup = await platformWindow(page);
  const address = new URL(popup.url());
  expect(address.searchParams.get('extras')).toBe('{}');
  address.searchParams.set('extras', JSON.stringify({ setup: {}, sessionInfoVersion: '3' }));
  const answer = await fetch(address);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/have ended/)]);
});

browserTest('a number that is not verified: the page says what to do, and goes on once it is', async () => {
  const page = await open(await signup('en'));
  const popup = await platformWindow(page);
  await popup.fill('#number', '+213550009907');
  const { phones } = sandbox.platform.accounts;
  sandbox.platform.accounts.verifiesNumbers = false;
  await press(popup, '#finish');
  sandbox.platform.accounts.verifiesNumbers = true;
  const words = async () => /WhatsApp Manager/.test((await page.textContent('#note')) ?? '');
  await until(words, { what: 'what to do' });
  await picture(page, 'unverified-en');
  for (const phone of phones.values()) phone.verified = true;
  await page.reload();
  await noteOf(page, 'good');
});

describe('the window ends otherwise', () => {
  const ways: [name: string, button: string, words: RegExp][] = [
    ['stopped', '#cancel', /Nothing was connected/],
    ['a problem', '#error', /reported a problem.*524126/],
    ['no number', '#only-waba', /without a phone number/],
  ];
  for (const [name, button, words] of ways) {
    browserTest(`${name}: said in plain words, and the same page can start again`, async () => {
      const page = await open(await signup('en'));
      const popup = await platformWindow(page);
      await press(popup, button);
      const note = await noteOf(page, 'bad');
      expect(await note.textContent()).toMatch(words);
      if (button === '#only-waba') await picture(page, 'no-number-en');
      expect((await wabaNow()).status ?? 'none').not.toBe('connecting');
      const again = await platformWindow(page);
      await press(again, '#finish');
      await noteOf(page, 'good');
    });
  }

  browserTest('closed by hand', async () => {
    const page = await open(await signup('ar'));
    expect(await page.getAttribute('html', 'dir')).toBe('rtl');
    const popup = await platformWindow(page);
    await popup.close();
    await noteOf(page, 'bad');
    await picture(page, 'closed-ar');
    expect(await page.isEnabled('#start')).toBe(true);
  });
});

browserTest('messages from elsewhere are not believed', async () => {
  const page = await open(await signup('en'));
  const popup = await platformWindow(page);
  // From the page's own origin, which is not the platform's.
  await page.evaluate(`for (const event of ['FINISH', 'CANCEL']) {
    const data = { waba_id: '111111111', phone_number_id: '222222222' };
    postMessage(JSON.stringify({ type: 'WA_EMBEDDED_SIGNUP', event, data }), '*');
  }`);
  await press(popup, '#finish');
  await noteOf(page, 'good');
  expect((await wabaNow()).waba_id).not.toBe('111111111');
});

browserTest('the policy stops inline scripts, and the platform’s script is missed aloud', async () => {
  const url = await signup('en');
  const page = await open(url);
  await page.evaluate(`{
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.head.append(script);
  }`);
  expect(await page.evaluate('"injected" in window')).toBe(false);
  await until(() => complaints.some((text) => /Content Security Policy/i.test(text)), {
    what: 'the policy’s complaint',
  });
  await page.route('**/sdk.js', (route) => route.abort());
  await page.goto(url);
  const note = await noteOf(page, 'bad');
  expect(await note.textContent()).toMatch(/can't be loaded/);
});

describe('the way to the server is interrupted', () => {
  /** Presses the button, finishes at the platform, and meets this on the way to the server. */
  async function finish(page: Page, meet: (route: Route) => Promise<unknown>): Promise<void> {
    await page.route('**/connect/messaging', meet, { times: 1 });
    const popup = await platformWindow(page);
    await press(popup, '#finish');
  }

  browserTest('before it has heard: the same page starts again', async () => {
    const page = await open(await signup('en'));
    await finish(page, (route) => route.abort());
    expect(await (await noteOf(page, 'bad')).textContent()).toMatch(/can't be reached/);
    await finish(page, (route) => route.continue());
    await noteOf(page, 'good');
  });

  browserTest('after it has heard: the link goes on, and so does the page', async () => {
    const page = await open(await signup('en'));
    await finish(page, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await noteOf(page, 'good');
  });
});

browserTest('a link is good once', async () => {
  const url = await signup('fr');
  const page = await open(url);
  const popup = await platformWindow(page);
  await press(popup, '#finish');
  await noteOf(page, 'good');
  // Whoever loads it again sees how its link stands, and can start nothing.
  await page.goto(url);
  await noteOf(page, 'good');
  expect(await page.isVisible('#start')).toBe(false);
  expect(await page.$$eval('#steps li.done', (items) => items.length)).toBe(7);
  await picture(page, 'again-fr');
  // Not once the account is linked anew, or the state is too old.
  await live.call('DELETE', '/v1/waba');
  await page.context().close();
  const other = await open(await signup('fr'));
  await press(await platformWindow(other), '#finish');
  await noteOf(other, 'good');
  const answer = await other.goto(url);
  expect(answer?.status()).toBe(410);
  expect(await other.textContent('h1')).toBe("Ce lien n'est plus valable");
  await picture(other, 'gone-fr');
});

test('an address without a good state is gone, whatever it says', async () => {
  for (const query of ['', '?state=', `?state=${'a'.repeat(43)}`, '?state=%3Cscript%3E&lang=ar']) {
    const answer = await fetch(`${server.http}/connect/messaging${query}`);
    expect(answer.status).toBe(410);
    expect(await answer.text()).not.toContain('<script');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'nonce-/);
  }
});
