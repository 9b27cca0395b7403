// Our SIP user agent calls sipp, which plays one scenario of signalling each: answers, refusals and what may cross on the wire.
import { afterAll, expect } from 'vitest';
import { type CallEvent, Endpoint, writeOffer } from '../../../src/sip/index.ts';
import { requireTool } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { startLossyRelay } from './support/lossy-relay.ts';
import { startSipp } from './support/sipp.ts';
import {
  answer,
  heldSdp,
  invite,
  mark,
  pause,
  reply,
  request,
  type Step,
  wait,
  waitAnswer,
} from './support/sipp-scenario.ts';

const test = requireTool('sipp');
const endpoints: Endpoint[] = [];
afterAll(() => Promise.all(endpoints.map((endpoint) => endpoint.close(100))));

interface Caller {
  transport?: 'udp' | 'tcp';
  /** Hangs up at this event, or when the callee has come to the mark of its steps. */
  hangUpAt?: CallEvent['kind'] | 'placed' | 'marked';
  /** So long after it, ms. */
  afterMs?: number;
  credentials?: { username: string; password: string };
  ringForMs?: number;
  sessionExpiresSeconds?: number;
  /** Filled with the ACKs of ours that reached the callee. */
  acks?: Buffer[];
}

/** The events of a call to a callee that plays the steps, once sipp is satisfied and the call has ended. */
async function call(name: string, steps: readonly Step[], caller: Caller = {}): Promise<CallEvent[]> {
  const { transport = 'udp', hangUpAt, afterMs = 0, credentials = null, ringForMs = 20_000, acks, ...rest } = caller;
  const sipp = await startSipp(name, steps, { transport });
  const relay = acks && (await startLossyRelay(sipp.port, []));
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: relay?.port ?? sipp.port }, transport });
  endpoints.push(endpoint);
  await endpoint.open();
  const events: CallEvent[] = [];
  const hangUp = (at: string) => {
    if (at === hangUpAt) setTimeout(() => placed.hangUp(), afterMs);
  };
  const offer = (address: string) => writeOffer({ address, port: 40_000, sessionId: '1', version: 1 });
  const from = { user: '021000000' };
  const placed = endpoint.call(
    { callId: `${name}@test`, to: '+213555000001', from, offer, credentials, ringForMs, ...rest },
    (event) => {
      events.push(event);
      hangUp(event.kind);
    },
  );
  hangUp('placed');
  if (hangUpAt === 'marked') {
    const hasEnded = () => events.some(({ kind }) => kind === 'ended');
    // Where the mark does not come, sipp says where it was.
    const isTime = () => sipp.isMarked() || hasEnded();
    await until(isTime, { what: 'the mark of the callee', timeoutMs: 140_000 }).catch(() => {});
    hangUp('marked');
  }
  await sipp.done();
  await until(() => events.some(({ kind }) => kind === 'ended'), { what: 'the end of the call' });
  const passed = () => (relay?.passed ?? []).map(({ octets }) => octets).filter(isAck);
  // sipp may have ended before what it had sent last was read here.
  if (acks) await until(() => passed().length > 1, { what: 'the second ACK' });
  acks?.push(...passed());
  await relay?.close();
  return events;
}

const isAck = (octets: Buffer) => octets.toString('latin1').startsWith('ACK ');
const ended = (events: readonly CallEvent[]) => events.filter(({ kind }) => kind === 'ended');
const ending = (how: string, more: object = {}) => [expect.objectContaining({ kind: 'ended', how, ...more })];

const answered: Step[] = [invite(), answer(180, 'Ringing'), answer(200, 'OK', { sdp: true }), wait('ACK')];
const hungUp: Step[] = [wait('BYE'), reply(200, 'OK')];

test('486 with a Q.850 cause', async () => {
  const reason = 'Reason: Q.850;cause=17;text="User busy"';
  const steps = [invite(), answer(100, 'Trying'), answer(486, 'Busy Here', { headers: [reason] }), wait('ACK')];
  const events = await call('busy', steps);
  expect(events).toEqual(ending('refused', { status: 486, q850: 17 }));
});

test('480 after ringing', async () => {
  const headers = ['Reason: Q.850;cause=19'];
  const events = await call('unavailable', [
    invite(),
    answer(180, 'Ringing'),
    answer(480, 'Temporarily Unavailable', { headers }),
    wait('ACK'),
  ]);
  expect(events).toEqual([{ kind: 'provisional', status: 180 }, ...ending('refused', { status: 480, q850: 19 })]);
});

test('503 says how long to stay away', async () => {
  const events = await call('overload', [
    invite(),
    answer(503, 'Service Unavailable', { headers: ['Retry-After: 5'] }),
    wait('ACK'),
  ]);
  expect(events).toEqual(ending('refused', { status: 503, retryAfterSeconds: 5 }));
});

/** sipp answers each ACK that comes again with its own answer again: without a bound these are thousands a second. */
function expectBounded(acks: readonly Buffer[]): void {
  expect(acks.length).toBeGreaterThan(1);
  expect(acks.length).toBeLessThan(30);
}

test('a 486 that is repeated is acknowledged again, but never without end', async () => {
  const steps = [invite(), answer(486, 'Busy Here'), wait('ACK'), answer(486, 'Busy Here'), pause(500)];
  const acks: Buffer[] = [];
  const events = await call('busy_again', steps, { acks });
  expect(events).toEqual(ending('refused', { status: 486 }));
  expectBounded(acks);
});

test('a 200 that is repeated is acknowledged again, but never without end', async () => {
  const acks: Buffer[] = [];
  const steps = [...answered, pause(300), answer(200, 'OK', { sdp: true }), pause(700), mark, ...hungUp];
  const events = await call('answered_again', steps, { hangUpAt: 'marked', acks });
  expect(ended(events)).toEqual(ending('completed'));
  expectBounded(acks);
});

test('the callee hangs up, and says why', async () => {
  const bye = request('BYE', 9, { headers: ['Reason: Q.850;cause=16'] });
  const events = await call('callee_bye', [...answered, pause(200), bye, waitAnswer(200)]);
  expect(ended(events)).toEqual(ending('hung_up', { q850: 16 }));
});

test('ringing is canceled: 487', async () => {
  const steps = [
    invite(),
    answer(180, 'Ringing'),
    wait('CANCEL'),
    reply(200, 'OK'),
    answer(487, 'Request Terminated'),
    wait('ACK'),
  ];
  expect(ended(await call('cancel', steps, { hangUpAt: 'provisional' }))).toEqual(ending('canceled'));
});

test('ring time is up: 487', async () => {
  const steps = [
    invite(),
    answer(180, 'Ringing'),
    wait('CANCEL'),
    reply(200, 'OK'),
    answer(487, 'Request Terminated'),
    wait('ACK'),
  ];
  expect(ended(await call('ring_time', steps, { ringForMs: 700 }))).toEqual(ending('ring_time_up'));
});

test('a CANCEL waits for the first answer', async () => {
  const steps = [
    invite(),
    pause(1_700),
    answer(180, 'Ringing'),
    wait('CANCEL'),
    reply(200, 'OK'),
    answer(487, 'Request Terminated'),
    wait('ACK'),
  ];
  expect(ended(await call('cancel_early', steps, { hangUpAt: 'placed', afterMs: 300 }))).toEqual(ending('canceled'));
});

test('a 200 that crosses the CANCEL is acknowledged and hung up', async () => {
  const steps = [
    invite(),
    answer(180, 'Ringing'),
    wait('CANCEL'),
    reply(200, 'OK'),
    answer(200, 'OK', { sdp: true }),
    wait('ACK'),
    ...hungUp,
  ];
  const events = await call('cross', steps, { hangUpAt: 'provisional' });
  expect(ended(events)).toHaveLength(1);
  expect(events.some(({ kind }) => kind === 'answered')).toBe(false);
});

test('the second branch of a fork is acknowledged and hung up, the first goes on', async () => {
  const steps = [
    ...answered,
    answer(200, 'OK', { sdp: true, tag: 'other' }),
    wait('ACK'),
    wait('BYE'),
    reply(200, 'OK'),
    pause(300),
    mark,
    ...hungUp,
  ];
  const events = await call('fork', steps, { hangUpAt: 'marked' });
  expect(events.filter(({ kind }) => kind === 'answered')).toHaveLength(1);
  expect(ended(events)).toEqual(ending('completed'));
});

for (const algorithm of ['MD5', 'SHA-256']) {
  test(`407 with ${algorithm} is answered with credentials`, async () => {
    const challenge = `Proxy-Authenticate: Digest realm="trunk", nonce="abc", qop="auth", algorithm=${algorithm}`;
    const steps = [
      invite(),
      answer(407, 'Proxy Authentication Required', { headers: [challenge] }),
      wait('ACK'),
      invite(`algorithm=${algorithm}`),
      answer(180, 'Ringing'),
      answer(200, 'OK', { sdp: true }),
      wait('ACK'),
      ...hungUp,
    ];
    const events = await call(`digest_${algorithm}`, steps, {
      credentials: { username: 'otp', password: 's3cret' },
      hangUpAt: 'answered',
    });
    expect(ended(events)).toEqual(ending('completed'));
  });
}

test('a refresh by UPDATE and a hold by re-INVITE are answered', async () => {
  const steps = [
    ...answered,
    request('UPDATE', 20),
    waitAnswer(200),
    request('INVITE', 21, { body: heldSdp }),
    waitAnswer(200),
    request('ACK', 21),
    request('INVITE', 22, { sdp: true }),
    waitAnswer(200),
    request('ACK', 22),
    mark,
    ...hungUp,
  ];
  const events = await call('hold', steps, { hangUpAt: 'marked' });
  expect(events.filter(({ kind }) => kind === 'media').length).toBeGreaterThanOrEqual(2);
  expect(ended(events)).toEqual(ending('completed'));
});

test('a session timer is refreshed', async () => {
  const headers = [
    'Session-Expires: 90;refresher=uac',
    'Require: timer',
    'Supported: timer',
    'Allow: INVITE, ACK, BYE, CANCEL, UPDATE',
  ];
  const steps = [
    invite(),
    answer(180, 'Ringing'),
    answer(200, 'OK', { sdp: true, headers }),
    wait('ACK'),
    wait('UPDATE'),
    reply(200, 'OK', ['Session-Expires: 90;refresher=uac', 'Require: timer']),
    mark,
    ...hungUp,
  ];
  const events = await call('session_timer', steps, { hangUpAt: 'marked' });
  expect(ended(events)).toEqual(ending('completed'));
});

test('OPTIONS, INFO and an unknown method within the call have their answers', async () => {
  const steps = [
    ...answered,
    request('OPTIONS', 30),
    waitAnswer(200),
    request('INFO', 31),
    waitAnswer(200),
    request('PUBLISH', 32),
    waitAnswer(405),
    mark,
    ...hungUp,
  ];
  const events = await call('within', steps, { hangUpAt: 'marked' });
  expect(ended(events)).toEqual(ending('completed'));
});

test('over TCP', async () => {
  const events = await call('tcp', [...answered, ...hungUp], { transport: 'tcp', hangUpAt: 'answered' });
  expect(ended(events)).toEqual(ending('completed'));
});
