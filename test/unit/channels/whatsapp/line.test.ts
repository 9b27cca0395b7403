// One number of the platform with its clock in hand: what is asked again, when, and what is not.
import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/channel.ts';
import type { Refusal } from '../../../../src/channels/whatsapp/errors.ts';
import type { Exchange } from '../../../../src/channels/whatsapp/graph.ts';
import { Line } from '../../../../src/channels/whatsapp/line.ts';
import { account as anAccount, graphError, message, taken, wamid } from './support.ts';

const answered = (status: number, body?: unknown): Exchange => ({ kind: 'answered', status, body });
const ok = answered(200, taken());
const error = (code: number) => answered(400, graphError(code));

function setUp(answers: Exchange[], change: Parameters<typeof anAccount>[0] = {}) {
  let now = 1_767_300_000_000;
  const account = anAccount(change);
  const calls: { url: string; to: string; at: number }[] = [];
  const told: [string, Refusal | null][] = [];
  const pauses: number[] = [];
  const sent: string[] = [];
  /** What happens before the next answers. */
  const meanwhile: (() => void)[] = [];
  const start = now;
  const line = new Line({
    account: () => ({ ...account }),
    client: {
      call: async ({ url, body }) => {
        calls.push({ url, to: (body as { to: string }).to, at: now - start });
        meanwhile.shift()?.();
        return answers.shift() ?? ok;
      },
    },
    now: () => now,
    observer: {
      sent: (phoneNumberId, to) => sent.push(`${phoneNumberId} ${to}`),
      down: (_, refusal) => told.push(['down', refusal]),
      up: () => told.push(['up', null]),
      misconfigured: (_, refusal) => told.push(['misconfigured', refusal]),
      unknownCode: (_, refusal) => told.push(['unknown', refusal]),
    },
    // Time passes here and nowhere else; nobody waits for ever.
    pause: async (ms, signal) => {
      pauses.push(ms);
      if (pauses.length > 20) throw new Error('pauses for ever');
      now += ms;
      return !signal.aborted;
    },
  });
  const abort = new AbortController();
  const send = async (change: Parameters<typeof message>[0] = {}): Promise<SendOutcome> => {
    const place = await line.reserve(abort.signal);
    if (!place) throw new Error('no place');
    return place.send(message(change));
  };
  return {
    line,
    send,
    meanwhile,
    calls,
    told,
    sent,
    pauses,
    abort,
    account,
    now: () => now,
    pass: (ms: number) => (now += ms),
  };
}

describe('a message', () => {
  it('that is taken has the platform’s id and the price of the day', async () => {
    const { send, calls } = setUp([ok]);
    expect(await send()).toEqual({
      kind: 'accepted',
      providerMessageId: wamid,
      reference: wamid,
      parts: 1,
      tariff: {
        version: '1',
        currency: 'DZD',
        charged: 'delivery',
        billedBy: 'service',
        amountPerPart: '1.20',
        validFrom: Date.parse('2026-01-01T00:00:00Z'),
      },
    });
    expect(calls).toEqual([{ url: 'https://graph.example/v25.0/106540352242922/messages', to: '213550000099', at: 0 }]);
  });

  it.each([
    [131026, 'not_on_app'],
    [131049, 'submit_refused'],
    [999_999, 'submit_refused'],
    [132001, 'misconfigured'],
    [190, 'channel_down'],
  ])('refused with %i is not asked again: %s', async (code, reason) => {
    const { send, calls } = setUp([error(code)]);
    expect(await send()).toEqual({ kind: 'rejected', reason, errorCode: String(code) });
    expect(calls).toHaveLength(1);
  });

  it('that may have arrived is never sent again', async () => {
    for (const exchange of [
      { kind: 'unknown', reason: 'timeout' } as const,
      { kind: 'unknown', reason: 'connection_lost' } as const,
      answered(502, undefined),
    ]) {
      const { send, calls } = setUp([exchange]);
      expect(await send()).toMatchObject({ kind: 'unknown' });
      expect(calls).toHaveLength(1);
    }
  });

  it('is counted as sent to its phone once it was taken, or may have been', async () => {
    const unknown = { kind: 'unknown', reason: 'timeout' } as const;
    const { send, sent } = setUp([ok, unknown, error(131026), error(190)]);
    for (const to of ['+213550000001', '+213550000002', '+213550000003', '+213550000004']) await send({ to });
    expect(sent).toEqual(['106540352242922 +213550000001', '106540352242922 +213550000002']);
  });

  it('asked too fast is asked again, later each time, and slows the line down', async () => {
    const { send, calls, line } = setUp([error(130429), error(80007), answered(429)]);
    expect(await send({ to: '+213550000001' })).toMatchObject({ kind: 'accepted' });
    expect(calls).toHaveLength(4);
    expect(line.ratePerSecond).toBeLessThan(1000);
  });

  it('to a phone that had too many waits for the phone', async () => {
    const { send, calls } = setUp([error(131056)]);
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(calls.map(({ at }) => at)).toEqual([0, 6_000]);
  });

  it('is given to the next leg when the platform has trouble three times', async () => {
    const { send, calls } = setUp([error(131000), error(2), error(1)]);
    expect(await send({ to: '+213550000001' })).toEqual({ kind: 'rejected', reason: 'throttled', errorCode: '1' });
    expect(calls).toHaveLength(3);
  });

  it('goes out once there is a way to the platform again', async () => {
    const unreachable: Exchange = { kind: 'not_sent', code: 'ECONNREFUSED' };
    const { send, calls } = setUp([unreachable, unreachable, unreachable, unreachable]);
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(calls.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  });

  it('whose leg is over while it waits is not sent', async () => {
    const { send, abort, calls, account } = setUp([error(130429)]);
    const sending = send();
    abort.abort();
    expect(await sending).toMatchObject({ kind: 'not_sent' });
    expect(calls).toHaveLength(1);
    expect(account.phoneNumberId).toBeTruthy();
  });
});

it.each([
  ['in an answer', error(199_999)],
  ['in an answer that says it will pass', answered(500, graphError(199_999, { is_transient: true }))],
])('a code without a meaning is heard of, %s', async (_, answer) => {
  const { send, told } = setUp([answer]);
  await send();
  expect(told.map(([what, refusal]) => [what, refusal?.code])).toEqual([['unknown', '199999']]);
});

it('a code without a meaning is heard of in a status, too', () => {
  const { line, told } = setUp([]);
  line.refused({ meaning: 'other', code: '199999' });
  expect(told.map(([what]) => what)).toEqual(['unknown']);
});

it('two messages to one phone keep their distance; others do not wait', async () => {
  const { send, calls } = setUp([]);
  await Promise.all([send(), send({ to: '+213550000001' })]);
  await send();
  expect(calls.map(({ to, at }) => [to.slice(-2), at])).toEqual([
    ['99', 0],
    ['01', 0],
    ['99', 6_000],
  ]);
});

it('a phone waits no longer than its distance, also by a clock that was set back meanwhile', async () => {
  const { send, pauses, pass } = setUp([]);
  await send();
  pass(-3_600_000);
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(pauses).toEqual([]);
});

it('a place that was not used leaves its token to the next', async () => {
  const { line, send, abort } = setUp([], { ratePerSecond: 1 });
  const place = await line.reserve(abort.signal);
  place?.release();
  expect(await send()).toMatchObject({ kind: 'accepted' }); // The clock stands still: no other token comes.
});

describe('an outage', () => {
  it('is told once, refuses without asking, and is over when a message is taken', async () => {
    const { send, calls, told, line, pass } = setUp([error(190), error(190)]);
    await send({ to: '+213550000001' });
    expect(line.downCode).toBe('190');
    expect(await send({ to: '+213550000002' })).toEqual({ kind: 'rejected', reason: 'channel_down', errorCode: '190' });
    expect(calls).toHaveLength(1);
    expect(told).toEqual([['down', { meaning: 'channel_down', code: '190', subcode: undefined, trace: 'Atrace' }]]);

    pass(60_000);
    expect(line.downCode).toBeNull();
    await send({ to: '+213550000003' });
    pass(60_000); // The second pause is longer.
    expect(line.downCode).toBe('190');
    pass(60_000);
    expect(await send({ to: '+213550000004' })).toMatchObject({ kind: 'accepted' });
    expect(told.map(([what]) => what)).toEqual(['down', 'down', 'up']);
  });

  it('of a number that is ours no longer is not told', async () => {
    const { send, told, line, meanwhile } = setUp([error(190)]);
    meanwhile.push(() => line.close());
    expect(await send()).toEqual({ kind: 'rejected', reason: 'channel_down', errorCode: '190' });
    expect(told).toEqual([]);
  });

  it('of a token that is replaced meanwhile says nothing of the new one', async () => {
    const { send, told, line, meanwhile, account } = setUp([error(190)]);
    meanwhile.push(() => {
      account.accessToken = 'EAAB-new';
      line.configured();
    });
    expect(await send()).toEqual({ kind: 'rejected', reason: 'channel_down', errorCode: '190' });
    expect([told, line.downCode]).toEqual([[], null]);
  });

  it('told by callbacks holds until a message arrives, with pauses of 1, 2, 4, 8, 15 and 15 minutes', async () => {
    const { send, calls, told, line, pass, now } = setUp([]);
    const locked = { meaning: 'channel_down', code: '131031' } as const;
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      expect(await send({ to: `+21355000000${calls.length}` })).toMatchObject({ kind: 'accepted' });
      line.refused(locked, 'callback');
      pass(minutes * 60_000 - 1);
      expect(line.downCode).toBe('131031');
      pass(1);
      expect(line.downCode).toBeNull();
    }
    expect(told.map(([what]) => what)).toEqual(Array(6).fill('down'));
    const refusedAt = now() - 15 * 60_000;
    line.delivered(refusedAt - 1); // Made before the lock: its phone was switched on a moment ago.
    expect(told.at(-1)?.[0]).toBe('down');
    line.delivered(now());
    expect(told.at(-1)?.[0]).toBe('up');
    line.refused(locked, 'callback');
    pass(60_000);
    expect(line.downCode).toBeNull(); // The pauses begin at one minute again.
  });

  it('is not ended by an answer that comes after the callback about its message', async () => {
    const { send, meanwhile, told, line } = setUp([]);
    meanwhile.push(() => line.refused({ meaning: 'channel_down', code: '131042' }, 'callback'));
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(line.downCode).toBe('131042');
    expect(told.map(([what]) => what)).toEqual(['down']);
  });

  it('is tried by one message at a time', async () => {
    const { send, line, pass } = setUp([]);
    line.refused({ meaning: 'channel_down', code: '131042' }, 'callback');
    pass(60_000);
    expect(await send({ to: '+213550000001' })).toMatchObject({ kind: 'accepted' });
    expect(await send({ to: '+213550000002' })).toMatchObject({ kind: 'rejected', reason: 'channel_down' });
    pass(20_000); // No status came: the phone may be off.
    expect(await send({ to: '+213550000003' })).toMatchObject({ kind: 'accepted' });
  });

  it('does not last for as long as the clock is set back meanwhile', async () => {
    const { send, line, pass, now } = setUp([], { ratePerSecond: 80 });
    line.refused({ meaning: 'channel_down', code: '131042' }, 'callback');
    pass(-3_600_000);
    expect(line.downCode).toBeNull();
    expect(await send({ to: '+213550000001' })).toMatchObject({ kind: 'accepted' });
    expect(line.downCode).toBe('131042'); // The message that tries is waited for.
    pass(-3_600_000);
    expect(line.downCode).toBeNull();
    expect(await send({ to: '+213550000002' })).toMatchObject({ kind: 'accepted' });
    line.delivered(now() + 1);
    pass(60_000);
    line.refused({ meaning: 'channel_down', code: '131042' }, 'callback');
    pass(60_000);
    expect(line.downCode).toBeNull(); // It had ended, so that its pauses begin at one minute again.
  });

  it('ends at once when the settings are changed', async () => {
    const { send, line } = setUp([error(10)]);
    await send();
    line.configured();
    expect(line.downCode).toBeNull();
  });
});

it('a line that was closed gives no place', async () => {
  const { line, abort } = setUp([]);
  line.close();
  expect(await line.reserve(abort.signal)).toBeNull();
});

it('follows the rate that the platform allows its number by now', async () => {
  const { line, send, account } = setUp([], { ratePerSecond: 80 });
  await send();
  account.ratePerSecond = 20;
  await send({ to: '+213550000098' });
  expect(line.ratePerSecond).toBe(20);
});

describe('a status that says "too fast"', () => {
  it('slows the number down, as an answer does', () => {
    const { line } = setUp([], { ratePerSecond: 80 });
    line.refused({ meaning: 'slow_down', code: '130429' }, 'callback');
    expect(line.ratePerSecond).toBe(40);
  });

  it('of one phone slows no other down', () => {
    const { line } = setUp([], { ratePerSecond: 80 });
    line.refused({ meaning: 'slow_down', code: '131056' }, 'callback');
    expect(line.ratePerSecond).toBe(80);
  });
});
