import { afterEach, describe, expect, it, vi } from 'vitest';
import type {
  AnsweredCall,
  CarrierReceipt,
  OutgoingMessage,
  SendOutcome,
  StopReason,
} from '../../../../src/channels/channel.ts';
import { TestChannel, type TestChannelOptions } from '../../../../src/channels/test/test.ts';
import { type ScenarioName, scenarioNames, scenarioNumbers } from '../../../../src/core/verify/scenarios.ts';
import type { Channel } from '../../../../src/core/verify/session.ts';

const prefix = '+21355';
const account = { id: 'acct_1', defaultSenderId: 'Shop', inCountryOnly: false, approvedSenders: new Map() };
const never = new AbortController().signal;

interface Timer {
  at: number;
  run(): void;
}

/** A channel on a clock of its own; `until` lets its time pass. */
function playground(change: Partial<TestChannelOptions> = {}) {
  let clock = 0;
  const timers = new Set<Timer>();
  const taken: (CarrierReceipt & { at: number })[] = [];
  const answers: (AnsweredCall & { at: number })[] = [];
  const order: string[] = [];
  const errors: unknown[] = [];
  const channel = new TestChannel({
    prefixes: () => ['+21366', prefix],
    intake: {
      take: async (receipt) => {
        order.push('receipt');
        taken.push({ ...receipt, at: clock });
      },
      takeUnreadable: async () => {},
      takeLateAnswer: async () => {},
      takeAnswered: async (answered) => void answers.push({ ...answered, at: clock }),
    },
    now: () => 1_700_000_000_123 + clock,
    onError: (error) => errors.push(error),
    after: (delayMs, run) => {
      const timer = { at: clock + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    ...change,
  });
  /** Runs what is due up to `ms`, earliest first; the promises in between are let run. */
  async function until(ms: number): Promise<void> {
    for (;;) {
      await settle();
      const [next] = [...timers].filter(({ at }) => at <= ms).sort((a, b) => a.at - b.at);
      if (!next) break;
      timers.delete(next);
      clock = next.at;
      next.run();
    }
    clock = ms;
  }
  let sent = 0;
  async function send(name: Channel, to: string): Promise<SendOutcome> {
    sent += 1;
    const place = await channel.reserve(`test/${name}`, never);
    const outcome = await place!.send(outgoing(`msg_${sent}`, name, to));
    order.push(outcome.kind);
    return outcome;
  }
  return { channel, timers, taken, answers, order, errors, until, send };
}

/** Long enough for every promise that is ready. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const outgoing = (id: string, channel: Channel, to: string): OutgoingMessage => ({
  id,
  sessionId: 'vrf_1',
  accountId: 'acct_1',
  mode: 'test',
  channel,
  route: `test/${channel}`,
  to,
  senderId: null,
  language: 'ar',
  code: '000000',
  autofill: {},
  wording: null,
  expiresAt: 600_000,
});

const numbers = scenarioNumbers(prefix);

describe('routes', () => {
  it('there is one for every channel, always, and nothing is limited', async () => {
    const { channel } = playground();
    expect(channel.routes()).toEqual(['test/sms', 'test/whatsapp', 'test/voice']);
    expect(channel.routes().every((route) => channel.canSend(route))).toBe(true);
    expect(channel.canSend('sms/atlas')).toBe(false);
    expect(channel.ratePerSecond()).toBeNull();
    expect(await channel.reserve('sms/atlas', never)).toBeNull();
    expect(await channel.reserve('test/sms', AbortSignal.abort())).toBeNull();
  });

  it('a leg is planned under the name asked for, else the account’s; only an SMS shows one', () => {
    const { channel } = playground();
    const plan = (name: Channel, senderId: string | null) =>
      channel.plan({ mode: 'test', channel: name, to: numbers.sms_delivered, senderId, language: 'fr', account });
    const bySms = { kind: 'usable', operator: 'test', route: 'test/sms' };
    expect(plan('sms', 'Bank')).toEqual({ ...bySms, senderId: 'Bank' });
    expect(plan('sms', null)).toEqual({ ...bySms, senderId: 'Shop' });
    // As on the real channel: the operator is a word of SMS.
    expect(plan('voice', 'Bank')).toEqual({ kind: 'usable', operator: null, route: 'test/voice', senderId: null });
  });
});

/** What each scenario ends in: answer, then report and when it comes. */
const outcomes: [Channel, ScenarioName, string, string | null, number][] = [
  ['sms', 'sms_delivered', 'accepted', 'DELIVRD', 40],
  ['sms', 'sms_late', 'accepted', 'DELIVRD', 20_000],
  ['sms', 'sms_silent', 'accepted', null, 0],
  ['sms', 'sms_rejected', 'rejected', null, 0],
  ['sms', 'sms_undelivered', 'accepted', 'UNDELIV', 40],
  ['sms', 'sms_throttled', 'accepted', 'DELIVRD', 290],
  ['sms', 'sms_early_receipt', 'accepted', 'DELIVRD', 0],
  ['whatsapp', 'sms_silent', 'accepted', 'DELIVRD delivered', 40],
  ['whatsapp', 'app_unreachable', 'rejected', null, 0],
  ['whatsapp', 'voice_busy', 'accepted', null, 0],
  ['voice', 'voice_busy', 'rejected', null, 0],
  ['voice', 'voice_no_answer', 'accepted', 'UNDELIV no_answer', 25_000],
  ['voice', 'voice_hangs_up', 'accepted', 'UNDELIV hung_up', 500],
  ['voice', 'voice_voicemail', 'accepted', 'UNDELIV no_key', 25_200],
  ['voice', 'voice_rejected', 'accepted', 'REJECTD rejected', 200],
];

describe('a scenario', () => {
  it.each(outcomes)('on %s, %s: %s, then %s after %i ms', async (channel, name, answer, report, at) => {
    const { send, taken, until } = playground();
    const sending = send(channel, numbers[name]);
    await until(60_000);
    expect((await sending).kind).toBe(answer);
    const told = taken.map(({ receipt }) => [receipt.status, receipt.providerStatus].filter(Boolean).join(' '));
    expect(told).toEqual(report === null ? [] : [report]);
    if (report !== null) expect(taken[0]?.at).toBe(at);
  });

  it('is played on every channel of every row', async () => {
    for (const name of scenarioNames) {
      for (const channel of ['sms', 'whatsapp', 'voice'] as const) {
        const { send, until, timers } = playground();
        const sending = send(channel, numbers[name]);
        await until(60_000);
        expect(['accepted', 'rejected']).toContain((await sending).kind);
        expect(timers.size).toBe(0);
      }
    }
  });

  it('belongs to the number under any operator’s prefix; any other number is delivered', async () => {
    const { send, taken, until } = playground();
    expect(await send('sms', scenarioNumbers('+21366').sms_rejected)).toMatchObject({ kind: 'rejected' });
    expect(await send('sms', `${prefix}1234567`)).toMatchObject({ kind: 'accepted' });
    await until(1_000);
    expect(taken).toHaveLength(1);
  });
});

describe('a message', () => {
  it('costs nothing, and its ids are its own', async () => {
    const { send } = playground();
    const one = await send('sms', numbers.sms_delivered);
    const two = await send('sms', numbers.sms_delivered);
    expect(one).toMatchObject({ kind: 'accepted', providerMessageId: 'test-msg_1', reference: 'test-msg_1' });
    expect(one).toMatchObject({ parts: 1, tariff: null });
    expect(two).toMatchObject({ providerMessageId: 'test-msg_2' });
  });

  it('is answered first and reported then, but for the early receipt', async () => {
    const usual = playground();
    await usual.send('sms', numbers.sms_delivered);
    await usual.until(1_000);
    expect(usual.order).toEqual(['accepted', 'receipt']);
    const early = playground();
    await early.send('sms', numbers.sms_early_receipt);
    expect(early.order).toEqual(['receipt', 'accepted']);
  });

  it('is reported as a carrier would, without the code', async () => {
    const { send, taken, until } = playground();
    await send('sms', numbers.sms_undelivered);
    await until(1_000);
    expect(taken[0]).toMatchObject({ operator: 'test', references: ['test-msg_1'], number: numbers.sms_undelivered });
    expect(taken[0]?.receipt).toMatchObject({ status: 'UNDELIV', errorCode: '001', operatorAmount: null });
    expect(taken[0]?.receipt).toMatchObject({ operatorTimestamp: 1_700_000_000_000, receivedAt: 1_700_000_000_163 });
    expect(taken[0]?.receipt.raw).toBe(
      'id:test-msg_1 sub:001 dlvrd:000 submit date:231114221320 done date:231114221320 stat:UNDELIV err:001 ' +
        'text:********************',
    );
  });

  it('waits less where time is scaled', async () => {
    const { send, taken, until } = playground({ timeScale: 0.1 });
    await send('sms', numbers.sms_late);
    await until(1_999);
    expect(taken).toEqual([]);
    await until(2_000);
    expect(taken).toHaveLength(1);
  });
});

describe('a call', () => {
  it('is one of its own process, and no other message is', () => {
    expect(playground().channel.staysHere).toBe(true);
  });

  it('rings, is answered, is heard and ends; each is reported as it comes', async () => {
    const { send, taken, answers, until } = playground();
    const ringing = await send('voice', numbers.app_unreachable);
    expect(ringing).toMatchObject({
      kind: 'accepted',
      parts: 0,
      tariff: null,
      call: { state: 'ringing', ended: false },
    });
    await until(60_000);
    const answered = { state: 'answered', ringMs: 200, answeredAt: 1_700_000_000_323, sipCode: 200, trunk: 'test' };
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ at: 200, accountId: 'acct_1', sessionId: 'vrf_1', messageId: 'msg_1' });
    expect(answers[0]).toMatchObject({ call: answered, holdUntil: 1_700_000_120_323 });
    const heard = { ...answered, state: 'heard', keys: 1, readings: 1 };
    expect(taken.map(({ receipt }) => receipt.operatorTimestamp)).toEqual([null, null]); // As of a real call.
    const reports = taken.map(({ at, receipt: { status, providerStatus, detail, errorCode, call } }) => ({
      at,
      told: [status, providerStatus, detail, errorCode],
      call,
    }));
    const told = ['DELIVRD', 'heard', 'answered', null];
    expect(reports).toEqual([
      { at: 700, told, call: expect.objectContaining({ ...heard, ended: false, talkSeconds: null }) },
      { at: 1_000, told, call: expect.objectContaining({ ...heard, ended: true, talkSeconds: 1 }) },
    ]);
  });

  it('to a busy line never rings', async () => {
    const { send, until, taken, answers } = playground();
    const busy = { state: 'busy', sipCode: 486, q850: 17, talkSeconds: 0, ended: true };
    expect(await send('voice', numbers.voice_busy)).toMatchObject({ kind: 'rejected', errorCode: '486', call: busy });
    await until(60_000);
    expect([taken, answers]).toEqual([[], []]);
  });

  it('to a voicemail box is answered, and ends without a key', async () => {
    const { send, until, taken } = playground();
    await send('voice', numbers.voice_voicemail);
    await until(60_000);
    expect(taken[0]?.receipt.call).toMatchObject({ state: 'no_key', keys: 0, readings: 0, talkSeconds: 25 });
    expect(taken[0]?.receipt.errorCode).toBeNull();
  });

  it('that was answered ends with its session alone', async () => {
    const { channel, send, taken, until } = playground();
    await send('voice', numbers.app_unreachable);
    await send('voice', numbers.voice_voicemail);
    await until(800);
    const stop = (why: StopReason) => {
      for (const id of ['msg_1', 'msg_2']) channel.cancel(id, why);
    };
    stop('delivered_elsewhere');
    stop('leg_over');
    expect(taken.map(({ receipt }) => receipt.call?.ended)).toEqual([false]);
    stop('session_over');
    const ends = taken
      .slice(1)
      .map(({ at, receipt }) => [at, receipt.status, receipt.call?.state, receipt.call?.ended]);
    expect(ends).toEqual([
      [800, 'DELIVRD', 'heard', true],
      [800, 'UNDELIV', 'canceled', true],
    ]);
    await until(60_000);
    expect(taken).toHaveLength(3);
  });

  it('that rings is hung up, and says so; once', async () => {
    const { channel, send, taken, until, timers } = playground();
    await send('voice', numbers.voice_no_answer);
    await until(3_000);
    channel.cancel('msg_1', 'leg_over');
    channel.cancel('msg_1', 'session_over');
    await until(60_000);
    expect(taken.map(({ receipt }) => receipt.providerStatus)).toEqual(['canceled']);
    expect(taken[0]).toMatchObject({ at: 3_000, receipt: { status: 'UNDELIV', errorCode: '487', detail: null } });
    expect(timers.size).toBe(0);
  });

  it('that is over is not, and neither is an SMS', async () => {
    const { channel, send, taken, until } = playground();
    await send('voice', numbers.voice_hangs_up);
    await send('sms', numbers.sms_late);
    await until(1_000);
    channel.cancel('msg_1', 'session_over');
    channel.cancel('msg_2', 'session_over');
    await until(60_000);
    expect(taken.map(({ receipt }) => receipt.providerStatus)).toEqual(['hung_up', null]);
  });
});

describe('a database that is away', () => {
  const away = (failures: number) => {
    let tries = 0;
    const take = async () => {
      tries += 1;
      if (tries <= failures) throw new Error('away');
    };
    return { tries: () => tries, intake: { take, takeUnreadable: take, takeLateAnswer: take, takeAnswered: take } };
  };

  it('is asked again', async () => {
    const { intake, tries } = away(2);
    const { send, until, errors } = playground({ intake });
    await send('sms', numbers.sms_early_receipt);
    expect(tries()).toBe(1);
    await until(10_000);
    expect([tries(), errors]).toEqual([3, []]);
  });

  it('but not for ever', async () => {
    const { intake, tries } = away(99);
    const { send, until, errors, timers } = playground({ intake });
    await send('sms', numbers.sms_delivered);
    await until(60_000);
    expect([tries(), errors.length, timers.size]).toEqual([5, 1, 0]);
  });
});

describe('stop', () => {
  it('leaves nothing behind: no report, no timer, no route; what waits was not sent', async () => {
    const { channel, send, taken, until, timers } = playground();
    await send('sms', numbers.sms_delivered);
    await send('voice', numbers.voice_no_answer);
    const throttled = send('sms', numbers.sms_throttled);
    await settle();
    channel.stop();
    expect(await throttled).toEqual({ kind: 'not_sent', reason: 'stopped' });
    expect([timers.size, channel.routes(), channel.canSend('test/sms')]).toEqual([0, [], false]);
    expect(await channel.reserve('test/sms', never)).toBeNull();
    channel.cancel('msg_2', 'session_over');
    await until(60_000);
    expect(taken).toEqual([]);
  });
});

describe('its own timers', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are the platform’s where none are given, and are cleared', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const take = vi.fn(async () => {});
    const options = {
      prefixes: () => [prefix],
      intake: { take, takeUnreadable: take, takeLateAnswer: take, takeAnswered: take },
      now: () => 0,
      onError: () => {},
    };
    const channel = new TestChannel(options);
    const place = await channel.reserve('test/sms', never);
    await place!.send(outgoing('msg_1', 'sms', numbers.sms_delivered));
    await vi.advanceTimersByTimeAsync(40);
    expect(take).toHaveBeenCalledTimes(1);
    await place!.send(outgoing('msg_2', 'sms', numbers.sms_late));
    expect(vi.getTimerCount()).toBe(1);
    channel.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
