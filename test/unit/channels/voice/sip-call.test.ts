// One call by SIP with parts in the test's hand: a call that is answered at once, and what is given back where a part has a fault.
import { expect, it, onTestFinished, vi } from 'vitest';
import { SipCall, type SipCallOptions } from '../../../../src/channels/voice/sip-call.ts';
import { until } from '../../../support/wait.ts';
import { report, trunkConfig } from './support.ts';

const silent = { connect: () => {}, say: () => {}, finishPhrase: () => {} };

type Asked = Parameters<SipCallOptions['endpoint']['call']>[0];
type Hear = Parameters<SipCallOptions['endpoint']['call']>[1];

const callOver = (
  open: () => Promise<{ port: number } | null>,
  call: (hear: Hear, options: Asked) => ReturnType<SipCallOptions['endpoint']['call']>,
  trunk: Parameters<typeof trunkConfig>[0] = {},
  time: Pick<SipCallOptions, 'now' | 'uptimeMs'> = { now: () => 0, uptimeMs: () => 0 },
) => {
  const given: string[] = [];
  const heard: unknown[][] = [];
  const note =
    (what: string) =>
    (...about: unknown[]) =>
      void heard.push([what, ...about]);
  const made = new SipCall({
    request: {
      id: 'msg_1',
      attempt: 1,
      trunk: 'main',
      to: '+213550000001',
      script: { language: 'fr', code: '407218', requireKey: true },
    },
    trunk: trunkConfig(trunk),
    endpoint: { call: (options, hear) => call(hear, options) },
    media: { ...silent, open, close: () => void given.push('ports') },
    advertise: null,
    boundTo: '0.0.0.0',
    listener: { rang: note('rang'), answered: note('answered'), heard: note('heard'), ended: note('ended') },
    ...time,
    onOver: () => void given.push('line'),
  });
  return { made, given, heard };
};

const fault = (): never => {
  throw new Error('a fault');
};

it.each([
  ['its sound', async () => fault(), fault],
  ['its signalling', async () => ({ port: 40_000 }), fault],
])('a call that %s has a fault in gives back its ports and its line, once', async (_, open, call) => {
  const { made, given } = callOver(open, call);
  await expect(made.place(true)).rejects.toThrow('a fault');
  expect(given).toEqual(['ports', 'line']);
});

it.each([
  [{ username: 'ramz', password: 'secret', digest: 'sha-256' } as const, 'sha-256'],
  [{ username: 'ramz', password: 'secret' }, 'any'],
  [{ username: 'ramz', password: null }, undefined],
])('a trunk with %j is answered with %s', async (trunk, hashes) => {
  const asked: Asked['credentials'][] = [];
  const call = (_: Hear, { credentials }: Asked) => {
    asked.push(credentials);
    return { callId: '', failure: null, hangUp: () => {} };
  };
  const { made } = callOver(async () => ({ port: 40_000 }), call, trunk);
  void made.place(true);
  await until(() => asked.length === 1, { what: 'the INVITE' });
  expect(asked[0]?.hashes).toBe(hashes);
});

it('a call that is answered at once rings first, so that its answer is still to come', async () => {
  const sdp = 'v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio 40002 RTP/AVP 8\r\n';
  const answer = (hear: Hear) => {
    setImmediate(() => hear({ kind: 'answered', sdp }));
    return { callId: '', failure: null, hangUp: () => {} };
  };
  const { made, heard } = callOver(async () => ({ port: 40_000 }), answer);
  expect(await made.place(true)).toEqual({ kind: 'ringing', callId: made.callId, report: report() });
  expect(heard).toEqual([
    ['rang', made.callId, report()],
    ['answered', report({ state: 'answered', ringMs: 0, answeredAt: 0, sipCode: 200 }), 120_000],
  ]);
  made.end('now');
});

it.each([
  ['was canceled', 'canceled', 487, { kind: 'not_placed', why: 'media_lost' }],
  ['is busy', 'canceled', 486, { kind: 'refused', status: 486 }],
  ['was not called yet', 'not_called', null, { kind: 'not_placed', why: 'media_lost' }],
] as const)('the media thread dies before anything rang: a phone that %s', async (_, how, status, placed) => {
  let tell: Hear = () => {};
  const end = { kind: 'ended', how, status, q850: null, retryAfterSeconds: null } as const;
  const call = (hear: Hear) => {
    tell = hear;
    return { callId: '', failure: null, hangUp: () => tell(end) };
  };
  const { made, given, heard } = callOver(async () => ({ port: 40_000 }), call);
  const result = made.place(true);
  await Promise.resolve();
  made.hear({ kind: 'worker_lost' });
  expect(await result).toMatchObject(placed);
  expect(given).toEqual(['ports', 'line']);
  expect(heard).toEqual([]);
});

it.each([
  ['its media thread dies', 'canceled', { kind: 'worker_lost' }, 'media_lost'],
  ['its endpoint closes before the trunk confirms the end', 'timer', null, 'canceled'],
] as const)('of a phone that rang as %s, nothing is said that is of the number', async (_, how, event, state) => {
  let tell: Hear = () => {};
  const call = (hear: Hear) => {
    tell = hear;
    setImmediate(() => hear({ kind: 'provisional', status: 180 }));
    return { callId: '', failure: null, hangUp: () => {} };
  };
  const { made, heard } = callOver(async () => ({ port: 40_000 }), call);
  await made.place(true);
  if (event) made.hear(event);
  tell({ kind: 'ended', how, status: null, q850: null, retryAfterSeconds: null });
  expect(heard.at(-1)).toMatchObject(['ended', { state, ended: true }]);
});

it('a call ends at its limit and lasted as long as it did, whatever the clock was set to meanwhile', async () => {
  let [now, uptime] = [1_800_000_000_000, 5_000];
  const hangUps: number[] = [];
  let tell: Hear = () => {};
  const ring = (hear: Hear) => {
    tell = hear;
    setImmediate(() => hear({ kind: 'provisional', status: 180 }));
    return { callId: '', failure: null, hangUp: () => void hangUps.push(uptime) };
  };
  const time = { now: () => now, uptimeMs: () => uptime };
  const { made, heard } = callOver(async () => ({ port: 40_000 }), ring, {}, time);
  await made.place(true);
  uptime += 7_000;
  now -= 3_600_000;
  tell({ kind: 'answered', sdp: '' });
  uptime += 119_000;
  now -= 3_600_000;
  made.hear({ kind: 'key', digit: '5' });
  expect(hangUps).toEqual([]);
  uptime += 1_000;
  now -= 3_600_000;
  made.hear({ kind: 'key', digit: '5' });
  expect(hangUps).toEqual([132_000]);
  tell({ kind: 'ended', how: 'hung_up', status: 200, q850: null, retryAfterSeconds: null });
  expect(heard.at(-1)?.[1]).toMatchObject({
    ringMs: 7_000,
    talkSeconds: 120,
    answeredAt: 1_800_000_000_000 - 3_600_000,
  });
});

it('a call that ends at its limit lasted 120 seconds, though timers are late', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const beganAt = Date.now();
  // Faster than the timers: by 12 ms in two minutes.
  const uptimeMs = () => (Date.now() - beganAt) * 1.0001;
  let tell: Hear = () => {};
  const hangUp = () => tell({ kind: 'ended', how: 'completed', status: null, q850: null, retryAfterSeconds: null });
  const answer = (hear: Hear) => {
    tell = hear;
    setImmediate(() => hear({ kind: 'answered', sdp: '' }));
    return { callId: '', failure: null, hangUp };
  };
  const { made, heard } = callOver(async () => ({ port: 40_000 }), answer, {}, { now: Date.now, uptimeMs });
  void made.place(true);
  await vi.advanceTimersByTimeAsync(119_000);
  expect(heard.map(([what]) => what)).toEqual(['rang', 'answered']);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(heard.at(-1)).toEqual(['ended', expect.objectContaining({ state: 'media_lost', talkSeconds: 120 })]);
});
