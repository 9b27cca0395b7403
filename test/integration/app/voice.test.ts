// The wiring of voice calls over reloads of the configuration.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Base } from '../../../src/app/base.ts';
import { VoiceCalls } from '../../../src/app/voice.ts';
import { Media } from '../../../src/channels/voice/media/media.ts';
import type { Config, VoiceConfig } from '../../../src/config.ts';
import { until } from '../../support/wait.ts';
import { message, trunkConfig } from '../../unit/channels/voice/support.ts';
import { Callee } from '../channels/voice/callee.ts';

test('a trunk whose recordings were broken at one reload is there after the next one, and later ones name what a restart must change', async () => {
  const trunk = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void trunk.close());
  await once(trunk, 'listening');
  const heard: string[] = [];
  trunk.on('message', (bytes) => heard.push(bytes.toString('latin1')));

  const voice = (prompts: VoiceConfig['prompts'], advertise: string | null = null): VoiceConfig => ({
    media: { host: '127.0.0.1', ports: { from: 30_500, to: 30_599 }, advertise },
    prompts,
    requireKey: true,
    trunks: [trunkConfig({ address: `127.0.0.1:${trunk.address().port}`, optionsSeconds: 30 })],
  });
  const problems: object[] = [];
  const log = (about: object) => void problems.push(about);
  const gauge = { remove: () => {} };
  const metrics = { sipDropped: { inc: () => {} }, trunkUp: gauge, trunkCalls: gauge };
  const base = {
    live: { config: { voice: null } },
    now: Date.now,
    logger: { error: log, warn: () => {}, info: () => {} },
  };
  const intake = { take: async () => {}, takeAnswered: async () => {} };
  const accounts = { view: () => Promise.reject(new Error('no account is asked for')) };
  const calls = new VoiceCalls({ ...base, metrics } as unknown as Base, intake, accounts);
  onTestFinished(() => calls.close());
  await calls.start();

  const broken = { voice: voice({ ar: '/nowhere', fr: null }) } as Config;
  expect(calls.reload(broken, { changedTrunks: [{ name: 'main', kind: 'added' }] })).toEqual(['voice.prompts']);
  expect(problems).not.toEqual([]);
  expect(heard).toEqual([]);

  const mended = { voice: voice({ ar: null, fr: null }) } as Config;
  expect(calls.reload(mended, { changedTrunks: [] })).toEqual([]);
  await until(() => heard.length > 0, { what: 'OPTIONS at the trunk' });
  expect(heard[0]).toMatch(/^OPTIONS /);

  const other = { voice: voice({ ar: '/other', fr: null }, '192.0.2.1') } as Config;
  for (const reload of ['first', 'second']) {
    expect(calls.reload(other, { changedTrunks: [] }), reload).toEqual(['voice.media', 'voice.prompts']);
  }
  expect(calls.reload({ voice: null } as Config, { changedTrunks: [{ name: 'main', kind: 'removed' }] })).toEqual([]);
  expect(calls.reload(mended, { changedTrunks: [{ name: 'main', kind: 'added' }] })).toEqual([]);
});

test('a gap in the sound is shown for longer than until the next reading', async () => {
  const shown: number[] = [];
  const metrics = { rtpPackets: { set: () => {} }, rtpGap: { set: (seconds: number) => shown.push(seconds) } };
  const voice = {
    media: { host: '127.0.0.1', ports: { from: 30_500, to: 30_599 }, advertise: null },
    prompts: { ar: null, fr: null },
    requireKey: true,
    trunks: [],
  };
  const logger = { error: () => {}, warn: () => {}, info: () => {} };
  const base = { live: { config: { voice } }, now: Date.now, logger, metrics };
  const intake = { take: async () => {}, takeAnswered: async () => {} };
  const calls = new VoiceCalls(base as unknown as Base, intake, {
    view: () => Promise.reject(new Error('no account')),
  });
  onTestFinished(() => calls.close());
  await calls.start();
  const figures = vi.spyOn(Media.prototype, 'figures');
  onTestFinished(() => figures.mockRestore());
  const counts = { sent: 0, received: 0, strangers: 0, malformed: 0, refused: 0, lateness: [] };
  for (const gapMs of [900, 21]) {
    figures.mockReturnValueOnce({ ...counts, gapMs });
    calls.measure();
  }
  expect(shown).toEqual([0.9, 0.9]);
});

/** Calls by a trunk that answers each INVITE as it is told, and what the log complains of. */
async function callsBy(
  answer: readonly string[],
  media: Partial<VoiceConfig['media']>,
  advertise: string | null = null,
  now: () => number = Date.now,
  transport: 'udp' | 'tcp' = 'udp',
) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void socket.close());
  await once(socket, 'listening');
  const heard: string[] = [];
  socket.on('message', (bytes, { port }) => {
    const text = bytes.toString('latin1');
    heard.push(text);
    const kept = text.split('\r\n').filter((line) => /^(?:Via|From|To|Call-ID|CSeq):/i.test(line));
    const [status = '', ...more] = answer;
    socket.send([`SIP/2.0 ${status}`, ...kept, ...more, 'Content-Length: 0', '', ''].join('\r\n'), port, '127.0.0.1');
  });
  const voice: VoiceConfig = {
    media: { host: '127.0.0.1', ports: { from: 30_600, to: 30_799 }, advertise: null, ...media },
    prompts: { ar: null, fr: null },
    requireKey: true,
    trunks: [trunkConfig({ address: `127.0.0.1:${socket.address().port}`, transport, advertise })],
  };
  const complaints: string[] = [];
  const abouts: object[] = [];
  const complain = (about: object, line: string) => {
    complaints.push(line);
    abouts.push(about);
  };
  const calls = await started(voice, now, complain);
  const send = () => sendBy(calls);
  return { outcome: await send(), send, heard, complaints, abouts };
}

/** With all channels of the trunk `main`. */
async function started(
  voice: VoiceConfig,
  now: () => number = Date.now,
  complain: (about: object, line: string) => void = () => {},
): Promise<VoiceCalls> {
  const nothing = () => {};
  const base = {
    live: { config: { voice } },
    now,
    logger: { error: complain, warn: nothing, info: nothing },
    metrics: { callTries: { inc: nothing }, sipDropped: { inc: nothing } },
    onError: nothing,
  };
  const intake = { take: async () => {}, takeAnswered: async () => {} };
  const accounts = { view: () => Promise.reject(new Error('no account is asked for')) };
  const calls = new VoiceCalls(base as unknown as Base, intake, accounts);
  onTestFinished(() => calls.close());
  await calls.start();
  await calls.channel.setSlots('voice:main', [0, 1, 2, 3]);
  return calls;
}

async function sendBy(calls: VoiceCalls, id = 'msg_1') {
  const place = await calls.channel.reserve('voice/main', new AbortController().signal);
  return place?.send(message({ id }));
}

test('a trunk whose address a reload changed is called at once, whatever rest the old address asks for', async () => {
  const [before, after] = [await Callee.open(() => {}), await Callee.open((phone) => phone.ring())];
  onTestFinished(() => void Promise.all([before.close(), after.close()]));
  const voiceTo = ({ address }: Callee): VoiceConfig => ({
    media: { host: '127.0.0.1', ports: { from: 30_600, to: 30_799 }, advertise: null },
    prompts: { ar: null, fr: null },
    requireKey: true,
    trunks: [trunkConfig({ address })],
  });
  const calls = await started(voiceTo(before));
  const rest = ['Retry-After: 60'];
  const late = sendBy(calls, 'msg_late');
  const phone = await until(() => before.phones[0], { what: 'an INVITE' });
  before.script = (each) => each.answer(503, rest);
  expect(await sendBy(calls, 'msg_refused')).toMatchObject({ kind: 'rejected', errorCode: '503' });
  const trunk = calls.channel.trunk('main');
  expect(trunk?.isUp).toBe(false);

  calls.reload({ voice: voiceTo(after) } as Config, { changedTrunks: [{ name: 'main', kind: 'reconnect' }] });
  expect(trunk?.isUp).toBe(true);
  phone.answer(503, rest);
  expect(await late).toMatchObject({ kind: 'rejected', errorCode: '503' });
  expect(trunk?.isUp).toBe(true);
  expect(await sendBy(calls, 'msg_next')).toMatchObject({ kind: 'accepted' });
  expect(after.phones).toHaveLength(1);
});

test.each([
  ['127.0.0.2', null, '127.0.0.2'],
  ['127.0.0.2', '192.0.2.1', '192.0.2.1'],
  ['0.0.0.0', null, '127.0.0.1'],
])(
  'sound that is bound to %s, behind a NAT of the address %s, is asked for at %s',
  async (host, advertise, soundAt) => {
    const { heard } = await callsBy(['486 Busy Here'], { host }, advertise);
    expect(heard[0]).toMatch(/^INVITE /);
    expect(/^c=IN IP4 (.*)$/m.exec(heard[0] ?? '')?.[1]?.trim()).toBe(soundAt);
  },
);

test.each([
  ['cause 17 is a phone that is busy', ['500 Said', 'Reason: Q.850;cause=17'], []],
  [
    'cause 34 is a trunk that is full',
    ['503 Said', 'Reason: Q.850;cause=34'],
    [expect.stringContaining('takes no calls')],
  ],
  ['code 402 is a trunk without credit', ['402 Said'], [expect.stringContaining('402: it is out of credit')]],
] as const)('of a refusal, %s', async (_, answer, expected) => {
  expect((await callsBy(answer, {})).complaints).toEqual(expected);
});

test('a call without a free pair of ports says which setting to look at', async () => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const from = other.address().port & ~1;
  const { outcome, heard, complaints } = await callsBy(['486 Busy Here'], { ports: { from, to: from + 1 } });
  expect(outcome).toEqual({ kind: 'not_sent', reason: 'no_trunk' });
  expect([heard, complaints]).toEqual([[], [expect.stringContaining('voice.media.ports')]]);
});

test('a trunk that is never asked by OPTIONS, and that a call does not reach, is a line in the log with the reason', async () => {
  // Its port is one of UDP alone.
  const { outcome, complaints, abouts } = await callsBy([], {}, null, Date.now, 'tcp');
  expect(outcome).toEqual({ kind: 'not_sent', reason: 'no_trunk' });
  expect(complaints).toEqual([expect.stringContaining('could not be reached')]);
  expect(abouts).toEqual([{ trunk: 'main', why: expect.stringContaining('ECONNREFUSED') }]);
});

test('a complaint is made once a minute, also after the clock was set back', async () => {
  let time = Date.now();
  const { send, complaints } = await callsBy(['500 Said'], {}, null, () => time);
  for (const [pass, expected] of [
    [59_000, 1],
    [1_000, 2],
    [-3_600_000, 3],
    [59_000, 3],
  ] as const) {
    time += pass;
    await send();
    expect(complaints).toHaveLength(expected);
  }
});
