// Every mood of the sandbox's parts against the real service: what the cascade makes of it, and that the next session finds all well again.
// Then the way of a page: a call that the person takes, followed live through the sandbox.
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { afterEach, expect, test } from 'vitest';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { checkOf } from '../support/checks.ts';
import { testService } from '../support/service.ts';
import type { Leg, Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

// An operator that is down or refuses is an alarm.
const service = await testService({ errorsExpected: true });
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging, voice: sandbox.voice });
const server = await service.startProcess();
const { live } = server;
const minuteMs = 60_000;

const ask = async (path: string, body: unknown) => {
  const answer = await fetch(sandbox.httpUrl + path, { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(204);
};
const order = (action: object) => ask('/sandbox/control', action);
await order({ action: 'messaging_callback', url: `${server.http}/v1/callbacks/messaging` });

const trunkIsUp = async () => {
  const { trunks } = (await (await fetch(`${server.metrics}/readyz`)).json()) as { trunks: { up: boolean }[] };
  return trunks.every(({ up }) => up);
};
const bindsAreUp = () => sandbox.smscs.atlas.counts.binds === 2;

/** The next session finds all well: the service has seen it, too. */
afterEach(async () => {
  await order({ action: 'reset' });
  await until(async () => bindsAreUp() && (await trunkIsUp()), { what: 'all to be well', timeoutMs: minuteMs });
}, minuteMs);

let next = 0;
const anyNumber = () => {
  next += 1;
  return `+21355740${String(next).padStart(4, '0')}`;
};
const delivered = ({ delivery }: Session) => delivery === 'delivered';
const first = { atlas: 'sms', whatsapp: 'whatsapp', trunk: 'voice' } as const;
type Of = keyof typeof first;
/** The other leg, for what the first one did not bring. */
const second = { atlas: 'whatsapp', whatsapp: 'sms', trunk: 'sms' } as const;
const longSeconds = 60;

async function play(of: Of, seconds: number) {
  const cascade: Leg[] = [
    { channel: first[of], timeout_seconds: seconds },
    { channel: second[of], timeout_seconds: longSeconds },
  ];
  const { id, to } = await live.send(anyNumber(), { cascade, language: 'fr' });
  const session = await live.sessionWhen(id, 'it delivered', delivered, minuteMs);
  const fates = session.messages.map(({ channel, status, reason }) =>
    [channel, status, reason].filter(Boolean).join(' '),
  );
  return { to, fates };
}
const channelsAt = (to: string) => sandbox.inbox.list({ to }).map(({ channel }) => channel);

/** One of these is what becomes of the first message, and the second channel delivers. */
test.each<[Of, string, RegExp]>([
  ['atlas', 'throttling', /^sms withdrawn$/],
  ['atlas', 'silent', /^sms submitted$/],
  ['atlas', 'down', /^sms withdrawn$/],
  ['whatsapp', 'throttling', /^whatsapp withdrawn$/],
  ['whatsapp', 'silent', /^whatsapp submitted$/],
  ['whatsapp', 'down', /^whatsapp (withdrawn|rejected throttled)$/],
  ['trunk', 'silent', /^voice (submitting|withdrawn)$/],
  ['trunk', 'down', /^voice (submitting|withdrawn)$/],
])(
  '%s %s: the leg waits for its time, then the next channel delivers',
  { timeout: 2 * minuteMs },
  async (of, mood, fate) => {
    await order({ action: 'mood', of, mood });
    // A silent one must have taken the message before its leg is over.
    const { to, fates } = await play(of, mood === 'silent' ? 8 : 2);
    expect(fates).toEqual([expect.stringMatching(fate), `${second[of]} delivered`]);
    expect(channelsAt(to)).toEqual([second[of]]);
  },
);

test.each<[Of, string]>([
  ['atlas', 'sms rejected submit_refused'],
  ['whatsapp', 'whatsapp rejected submit_refused'],
  ['trunk', 'voice rejected submit_refused'],
])(
  '%s refusing: the next channel delivers at once, and the channel is not taken for broken',
  { timeout: 3 * minuteMs },
  async (of, fate) => {
    await order({ action: 'mood', of, mood: 'refusing' });
    for (let turn = 0; turn < 2; turn += 1) {
      const { to, fates } = await play(of, longSeconds);
      expect(fates).toEqual([fate, `${second[of]} delivered`]);
      expect(channelsAt(to)).toEqual([second[of]]);
    }
    await order({ action: 'mood', of, mood: 'well' });
    expect((await play(of, longSeconds)).fates).toEqual([expect.stringMatching(/ (delivered|answered)$/)]);
  },
);

test.each<Of>(['atlas', 'whatsapp', 'trunk'])(
  '%s slow: late, and by the first channel',
  { timeout: 2 * minuteMs },
  async (of) => {
    await order({ action: 'mood', of, mood: 'slow' });
    const since = performance.now();
    const { fates } = await play(of, longSeconds);
    expect(performance.now() - since).toBeGreaterThan(2_900);
    expect(fates).toEqual([expect.stringMatching(new RegExp(`^${first[of]} (delivered|answered)$`))]);
  },
);

test('a page follows a session and takes its call, and never has a key of the service', {
  timeout: 2 * minuteMs,
}, async () => {
  const [http, grpc] = [server.http, server.grpc];
  await ask('/sandbox/service', { http, grpc, api_key: service.liveKey });
  const client = createClient(VerifyService, createConnectTransport({ baseUrl: `${sandbox.httpUrl}/service` }));
  const to = anyNumber();
  await order({ action: 'voice_person', to, present: true });
  const cascade = [{ channel: 'voice', timeoutSeconds: 120 }];
  const { id } = await client.send({ to, cascade, language: 'fr' });
  const call = () => sandbox.phones!.calls.list().find((each) => each.to === to);
  const seen: string[] = [];
  let isChecked = false;
  for await (const { session, newEntries } of client.watchSession({ id })) {
    const kinds = newEntries.map(({ kind }) => kind);
    seen.push(...kinds);
    if (kinds.includes('message_submitted')) {
      await until(() => call()?.state === 'ringing', { what: 'the phone to ring' });
      await order({ action: 'voice_answer', to });
    }
    if (kinds.includes('call_answered')) await order({ action: 'voice_press', to, key: '1' });
    if (session?.delivery !== 'delivered' || isChecked) continue;
    isChecked = true;
    const heard = () => sandbox.inbox.list({ to })[0]?.digits;
    const digits = await until(heard, { what: 'the code in the call', timeoutMs: minuteMs });
    expect((await client.check(checkOf({ id, code: digits.slice(0, 6) }))).valid).toBe(true);
  }
  // The receipt of the end of the call may come behind it.
  expect(seen).toContain('session_verified');
  expect(call()).toMatchObject({ person: true, keys: '1' });
});
