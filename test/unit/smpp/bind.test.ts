import { describe, expect, test } from 'vitest';
import { Bind, type BindOptions } from '../../../src/smpp/bind.ts';
import { until } from '../../support/wait.ts';
import { settle } from './connected.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeSmsc } from './fake-smsc.ts';

function started(change: Partial<BindOptions> = {}) {
  const clock = new FakeClock();
  const smsc = new FakeSmsc();
  const states: string[] = [];
  const windows: number[] = [];
  const throttles: number[] = [];
  const bind = new Bind({
    host: 'smsc.example',
    port: 2775,
    systemId: 'ramz',
    password: 'secret08',
    type: 'transceiver',
    window: 2,
    onDeliver: async () => ({ status: 0 }),
    observer: {
      onState: (state) => states.push(state),
      onWindow: (outstanding) => windows.push(outstanding),
      onThrottle: (status) => throttles.push(status),
    },
    clock,
    random: () => 1,
    open: smsc.open,
    ...change,
  });
  bind.start();
  const reached = (state: string) => until(() => bind.state === state, { what: state, everyMs: 1 });
  return { bind, smsc, clock, states, windows, throttles, reached };
}
const submit = { command: 'submit_sm', destination_addr: '213550000001' } as const;

describe('the life of a bind', () => {
  test('connects, binds with the right words, is open', async () => {
    const { bind, smsc, states, reached } = started({ systemType: 'OTP', addressRange: '213' });
    expect([bind.state, bind.open, bind.free]).toEqual(['connecting', false, 0]);
    const peer = await smsc.bound();
    await reached('bound');
    expect(peer.of('bind_transceiver')).toMatchObject([
      {
        system_id: 'ramz',
        password: 'secret08',
        system_type: 'OTP',
        address_range: '213',
        interface_version: 0x34,
      },
    ]);
    expect([bind.open, bind.free, states]).toEqual([true, 2, ['connecting', 'bound']]);
    await bind.close(0);
  });

  test('is made anew with a doubling pause while nobody listens, and soon after a good one is cut', async () => {
    const { bind, smsc, clock, states, reached } = started();
    smsc.refuse = 'connect ECONNREFUSED';
    const first = await smsc.bound();
    await reached('bound');
    clock.advance(10_000);
    first.cut();
    await reached('backing_off');
    expect(clock.pending).toEqual([1_000]);
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]) {
      await until(() => clock.pending[0] === ms, { what: `a pause of ${ms} ms`, everyMs: 1 });
      clock.advance(ms);
    }
    await until(() => clock.pending[0] === 60_000, { what: 'a pause that grows no more', everyMs: 1 });
    smsc.refuse = null;
    clock.advance(60_000);
    await smsc.bound(2);
    await reached('bound');
    expect(states.slice(0, 3)).toEqual(['connecting', 'bound', 'backing_off']);
    await bind.close(0);
  });

  test('one that is cut soon after binding does not hammer', async () => {
    const { bind, smsc, clock, reached } = started();
    for (const [nth, ms] of [1_000, 2_000, 4_000].entries()) {
      const peer = await smsc.bound(nth + 1);
      await reached('bound');
      peer.cut();
      await reached('backing_off');
      expect(clock.pending).toEqual([ms]);
      clock.advance(ms);
    }
    await bind.close(0);
  });

  test('refused credentials: alarm, and five minutes', async () => {
    const { bind, smsc, clock, reached } = started();
    await smsc.bound(1, 0x0e);
    await reached('alarm');
    expect(clock.pending).toContain(300_000);
    clock.advance(299_999);
    expect(smsc.peers).toHaveLength(1);
    clock.advance(1);
    await smsc.bound(2);
    await reached('bound');
    await bind.close(0);
  });

  test.each(['retry', 'rebind'] as const)('%s ends a pause at once, however long it was to be', async (verb) => {
    const { bind, smsc, clock, reached } = started();
    await smsc.bound(1, 0x0e);
    await reached('alarm');
    expect(clock.pending).toContain(300_000);
    void bind[verb]();
    await smsc.bound(2);
    await reached('bound');
    await bind.close(0);
  });

  test('rebind of a bind that is up makes it anew without a pause, and the next failure has its own', async () => {
    const { bind, smsc, clock, states, reached } = started();
    const first = await smsc.bound();
    await reached('bound');
    void bind.rebind();
    const second = await smsc.bound(2);
    await reached('bound');
    expect(first.of('unbind')).toHaveLength(1);
    expect(states).toEqual(['connecting', 'bound', 'connecting', 'bound']);
    second.cut();
    await reached('backing_off');
    clock.advance(2_000);
    await smsc.bound(3);
    await reached('bound');
    await bind.close(0);
  });

  test('already bound: a few seconds', async () => {
    const { bind, smsc, clock, reached } = started();
    await smsc.bound(1, 0x05);
    await reached('backing_off');
    expect(clock.pending).toContain(2_400);
    await bind.close(0);
  });

  test('an SMSC that restarts: its first refusals have their own pauses, however often nobody had listened before', async () => {
    const { bind, smsc, clock, states, reached } = started();
    (await smsc.bound()).cut();
    smsc.refuse = 'ECONNREFUSED';
    for (const pause of [1_000, 2_000, 4_000, 8_000]) {
      await until(() => clock.pending.includes(pause), { what: `a pause of ${pause} ms`, everyMs: 1 });
      if (pause === 8_000) smsc.refuse = null;
      clock.advance(pause);
    }
    await smsc.bound(2, 0x0d);
    await until(() => clock.pending.includes(6_000), { what: 'the first pause after 0x0D', everyMs: 1 });
    clock.advance(6_000);
    await smsc.bound(3, 0x05);
    await until(() => clock.pending.includes(2_400), { what: 'the first pause after 0x05', everyMs: 1 });
    expect(states).not.toContain('alarm');
    // What is no such refusal still counts all that went before.
    smsc.refuse = 'ECONNREFUSED';
    clock.advance(2_400);
    await until(() => clock.pending.includes(60_000), { what: 'the longest pause', everyMs: 1 });
    smsc.refuse = null;
    await reached('backing_off');
    await bind.close(0);
  });

  test('a bind that is never answered: given up, tried again', async () => {
    const { bind, smsc, clock, reached } = started();
    await (await smsc.peer()).got('bind_transceiver');
    clock.advance(10_000);
    await reached('backing_off');
    clock.advance(1_000);
    await smsc.peer(2);
    await bind.close(0);
  });

  test('is made anew once the SMSC says that it knows none: every message in the window is refused, and none is in doubt', async () => {
    const { bind, smsc, clock, reached } = started();
    const first = await smsc.bound();
    await reached('bound');
    clock.advance(10_000);
    const results = [bind.submit(submit), bind.submit(submit)];
    first.send({ command: 'submit_sm_resp', sequence: (await first.got('submit_sm')).sequence, status: 0x04 });
    expect(await results[0]).toEqual({ kind: 'answered', status: 0x04, messageId: '' });
    expect([bind.free, first.of('unbind')]).toEqual([0, []]);
    first.send({ command: 'submit_sm_resp', sequence: (await first.got('submit_sm', 2)).sequence, status: 0x04 });
    expect(await results[1]).toEqual({ kind: 'answered', status: 0x04, messageId: '' });
    await reached('backing_off');
    expect(first.of('unbind')).toHaveLength(1);
    clock.advance(1_000);
    await smsc.bound(2);
    await reached('bound');
    await bind.close(0);
  });

  test.each(['enquire_link_resp', 'generic_nack'] as const)(
    'is made anew once the SMSC says so to enquire_link by %s',
    async (command) => {
      const { bind, smsc, clock, reached } = started();
      const first = await smsc.bound();
      await reached('bound');
      clock.advance(25_000);
      first.send({ command, sequence: (await first.got('enquire_link')).sequence, status: 0x04 });
      await reached('backing_off');
      clock.advance(1_000);
      await smsc.bound(2);
      await reached('bound');
      await bind.close(0);
    },
  );

  test('does not hammer an SMSC that says so to every message of every bind', async () => {
    const { bind, smsc, clock, reached } = started();
    for (const [nth, ms] of [1_000, 2_000, 4_000].entries()) {
      const peer = await smsc.bound(nth + 1);
      await reached('bound');
      void bind.submit(submit);
      peer.send({ command: 'submit_sm_resp', sequence: (await peer.got('submit_sm')).sequence, status: 0x04 });
      await reached('backing_off');
      // Beside the pause, the time that the old connection has to close.
      expect(clock.pending).toContain(ms);
      clock.advance(ms);
    }
    await bind.close(0);
  });

  test('a whole window without an answer is one failure: after a minute a message is tried, and one more failure doubles that', async () => {
    const { bind, smsc, clock, reached } = started({ window: 10, enquireLinkIdleMs: 1_000_000 });
    const first = await smsc.bound();
    await reached('bound');
    const results = Array.from({ length: 10 }, () => bind.submit(submit));
    await first.got('submit_sm', 10);
    clock.advance(10_000);
    await Promise.all(results);
    await reached('backing_off');
    clock.advance(1_000);
    const second = await smsc.bound(2);
    await reached('sick');
    clock.advance(58_999);
    expect(bind.trust).toBe('last_resort');
    clock.advance(1);
    expect(bind.trust).toBe('to_be_tried');
    const tried = bind.submit(submit);
    await second.got('submit_sm');
    clock.advance(10_000);
    await tried;
    clock.advance(119_999);
    expect(bind.trust).toBe('last_resort');
    clock.advance(1);
    expect(bind.trust).toBe('to_be_tried');
    await bind.close(0);
  });

  test('is sick once the SMSC has hung up on messages three times in a row, however many were under way, and well with an answer', async () => {
    const { bind, smsc, clock, reached, states } = started({ window: 5 });
    for (const nth of [1, 2, 3]) {
      const peer = await smsc.bound(nth);
      await reached('bound');
      expect(bind.trust).toBe('well');
      clock.advance(15_000); // Long enough for each bind to pass for a good one.
      const results = Array.from({ length: 4 }, () => bind.submit(submit));
      await peer.got('submit_sm', 4);
      peer.cut();
      expect(await Promise.all(results)).toEqual(Array(4).fill({ kind: 'unknown', reason: 'connection_lost' }));
      await reached('backing_off');
      clock.advance(1_000);
    }
    const fourth = await smsc.bound(4);
    await reached('sick');
    expect([bind.trust, bind.free]).toEqual(['last_resort', 1]);
    const result = bind.submit(submit);
    fourth.send({ command: 'submit_sm_resp', sequence: (await fourth.got('submit_sm')).sequence, message_id: 'x' });
    await result;
    expect([bind.trust, states.at(-1)]).toEqual(['well', 'bound']);
    await bind.close(0);
  });

  test('is no worse for a connection that is lost with messages now and then', async () => {
    const { bind, smsc, clock, reached } = started({ window: 5 });
    for (const nth of [1, 2, 3, 4]) {
      const peer = await smsc.bound(nth);
      await reached('bound');
      const answered = bind.submit(submit);
      peer.send({ command: 'submit_sm_resp', sequence: (await peer.got('submit_sm')).sequence, message_id: 'x' });
      await answered;
      const lost = bind.submit(submit);
      await peer.got('submit_sm', 2);
      peer.cut();
      await lost;
      await reached('backing_off');
      clock.advance(60_000);
    }
    await smsc.bound(5);
    await reached('bound');
    await bind.close(0);
  });

  test('stays as it is where this process stood still, and the answers of its whole window had come', async () => {
    const { bind, smsc, clock, reached } = started({ window: 3 });
    const peer = await smsc.bound();
    await reached('bound');
    const results = Array.from({ length: 3 }, () => bind.submit(submit));
    await peer.got('submit_sm', 3);
    clock.freeze(12_000);
    // Timers ring before sockets are read.
    for (const { sequence } of peer.of('submit_sm'))
      peer.send({ command: 'submit_sm_resp', sequence, message_id: 'x' });
    expect(await Promise.all(results)).toMatchObject(Array(3).fill({ kind: 'answered', messageId: 'x' }));
    expect([bind.state, smsc.peers.length]).toEqual(['bound', 1]);
    await bind.close(0);
  });

  test('that is closed once more with less patience says unbind and ends sooner', async () => {
    const { bind, smsc, clock, reached } = started();
    const peer = await smsc.bound();
    await reached('bound');
    const result = bind.submit(submit);
    await peer.got('submit_sm');
    const closed = bind.close(5_000);
    void bind.close(6_000); // No longer than before.
    clock.advance(1_000);
    await settle();
    void bind.close(250);
    clock.advance(249);
    await settle();
    expect([bind.state, peer.of('unbind')]).toEqual(['closing', []]);
    clock.advance(1);
    await closed;
    expect([bind.state, peer.of('unbind').length]).toEqual(['closed', 1]);
    expect(await result).toMatchObject({ kind: 'unknown' });
  });

  test('that left messages without an answer is no better for such an answer', async () => {
    const { bind, smsc, clock, reached } = started({ submitMisses: 1 });
    const first = await smsc.bound();
    await reached('bound');
    void bind.submit(submit);
    await first.got('submit_sm');
    clock.advance(10_000);
    await reached('backing_off');
    clock.advance(1_000);
    const second = await smsc.bound(2);
    await reached('sick');
    const result = bind.submit(submit);
    second.send({ command: 'submit_sm_resp', sequence: (await second.got('submit_sm')).sequence, status: 0x04 });
    await result;
    expect(bind.trust).toBe('last_resort');
    await bind.close(0);
  });

  test('credentials that cannot be written are refused at once', () => {
    expect(() => started({ systemId: 'a'.repeat(16) })).toThrow(/system_id/);
    expect(() => started({ password: 'a\0b' })).toThrow(/^password: holds a NUL$/);
  });
});

describe('submit', () => {
  async function bound(change: Partial<BindOptions> = {}) {
    const all = started(change);
    const peer = await all.smsc.bound();
    await all.reached('bound');
    return { ...all, peer };
  }

  test('answered, with the id; the window is counted', async () => {
    const { bind, peer, windows } = await bound();
    const result = bind.submit(submit);
    expect([bind.outstanding, bind.free]).toEqual([1, 1]);
    const { sequence } = await peer.got('submit_sm');
    peer.send({ command: 'submit_sm_resp', sequence, message_id: '4A6F' });
    expect(await result).toEqual({ kind: 'answered', status: 0, messageId: '4A6F' });
    expect([bind.free, windows]).toEqual([2, [1, 0]]);
    await bind.close(0);
  });

  test('throttled is an answer, and is told', async () => {
    const { bind, peer, throttles } = await bound();
    const result = bind.submit(submit);
    const { sequence } = await peer.got('submit_sm');
    peer.send({ command: 'submit_sm_resp', sequence, status: 0x58 });
    expect(await result).toEqual({ kind: 'answered', status: 0x58, messageId: '' });
    expect(throttles).toEqual([0x58]);
    await bind.close(0);
  });

  test('not sent: not bound, window full, unencodable, closing', async () => {
    const before = started();
    expect(await before.bind.submit(submit)).toMatchObject({ kind: 'not_sent', reason: 'not_bound' });
    await before.bind.close(0);

    const { bind, peer } = await bound({ window: 1 });
    expect(await bind.submit({ ...submit, source_addr: 'A\0' })).toEqual({
      kind: 'not_sent',
      reason: 'unencodable',
      detail: 'source_addr: holds a NUL',
    });
    void bind.submit(submit);
    expect(await bind.submit(submit)).toMatchObject({ kind: 'not_sent', reason: 'window_full' });
    await peer.got('submit_sm');
    expect(peer.of('submit_sm')).toHaveLength(1);
    const closed = bind.close(0);
    expect(await bind.submit(submit)).toMatchObject({ kind: 'not_sent', reason: 'closing' });
    await closed;
  });

  test('unknown when the connection is cut, and sent again by nobody', async () => {
    const { bind, smsc, peer, clock, reached } = await bound();
    const result = bind.submit(submit);
    await peer.got('submit_sm');
    peer.cut();
    expect(await result).toEqual({ kind: 'unknown', reason: 'connection_lost' });
    await reached('backing_off');
    clock.advance(1_000);
    const second = await smsc.bound(2);
    await reached('bound');
    expect(second.of('submit_sm')).toEqual([]);
    await bind.close(0);
  });

  test('unknown when unanswered; the late answer is told for that very message', async () => {
    const late: unknown[] = [];
    const { bind, peer, clock } = await bound({ onLateAnswer: (pdu, answer) => late.push(pdu, answer) });
    const result = bind.submit(submit);
    const { sequence } = await peer.got('submit_sm');
    clock.advance(10_000);
    expect(await result).toEqual({ kind: 'unknown', reason: 'timeout' });
    expect(bind.free).toBe(2);
    peer.send({ command: 'submit_sm_resp', sequence, message_id: '4A6F' });
    await until(() => late.length > 0, { what: 'the late answer', everyMs: 1 });
    expect(late[0]).toBe(submit);
    expect(late[1]).toEqual({ status: 0, messageId: '4A6F' });
    await bind.close(0);
  });
});

describe('close', () => {
  test('waits for answers and handlers, unbinds, ends', async () => {
    let handled = () => {};
    const { bind, smsc, states, reached, clock } = started({
      onDeliver: async () => {
        await new Promise<void>((resolve) => {
          handled = resolve;
        });
        return { status: 0 };
      },
    });
    const peer = await smsc.bound();
    await reached('bound');
    const result = bind.submit(submit);
    peer.send({ command: 'deliver_sm', sequence: 9 });
    const { sequence } = await peer.got('submit_sm');
    const closed = bind.close(5_000);
    expect(bind.state).toBe('closing');
    peer.send({ command: 'submit_sm_resp', sequence, message_id: 'x' });
    expect(await result).toMatchObject({ kind: 'answered' });
    expect(peer.of('unbind')).toEqual([]);
    handled();
    await peer.got('deliver_sm_resp');
    peer.send({ command: 'unbind_resp', sequence: (await peer.got('unbind')).sequence });
    await closed;
    expect(states.slice(-2)).toEqual(['closing', 'closed']);
    await until(() => peer.ended, { what: 'the end', everyMs: 1 });
    clock.advance(1_000);
    expect(clock.pending).toEqual([]);
  });

  test('handlers are waited for half of the grace before unbind is said: others may begin without a pause', async () => {
    const { bind, smsc, clock, reached } = started({ onDeliver: () => new Promise(() => {}) });
    const peer = await smsc.bound();
    await reached('bound');
    peer.send({ command: 'deliver_sm', sequence: 9 });
    await settle();
    const closed = bind.close(5_000);
    clock.advance(2_499);
    await settle();
    expect(peer.of('unbind')).toEqual([]);
    clock.advance(1);
    await peer.got('unbind');
    clock.advance(2_500);
    await closed;
  });

  test('answers are waited for all of it', async () => {
    const { bind, smsc, clock, reached } = started();
    const peer = await smsc.bound();
    await reached('bound');
    const result = bind.submit(submit);
    const { sequence } = await peer.got('submit_sm');
    const closed = bind.close(5_000);
    clock.advance(2_500);
    await settle();
    clock.advance(2_000);
    await settle();
    expect(peer.of('unbind')).toEqual([]);
    peer.send({ command: 'submit_sm_resp', sequence, message_id: 'x' });
    expect(await result).toMatchObject({ kind: 'answered' });
    peer.send({ command: 'unbind_resp', sequence: (await peer.got('unbind')).sequence });
    await closed;
  });

  test('when the grace is over, what is unanswered is unknown', async () => {
    const { bind, smsc, clock, reached } = started();
    const peer = await smsc.bound();
    await reached('bound');
    const result = bind.submit(submit);
    await peer.got('submit_sm');
    const closed = bind.close(500);
    clock.advance(500);
    await closed;
    expect(await result).toEqual({ kind: 'unknown', reason: 'connection_lost' });
  });

  test('while backing off: at once', async () => {
    const { bind, smsc, clock, reached } = started();
    (await smsc.peer()).cut();
    await reached('backing_off');
    await bind.close(5_000);
    expect(bind.state).toBe('closed');
    clock.advance(1_000);
    expect(clock.pending).toEqual([]);
    expect(smsc.peers).toHaveLength(1);
  });

  test('before the connection is there: at once', async () => {
    const { bind, smsc, clock } = started({
      open: (_, __, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ kind: 'failed', detail: 'close was called' }));
        }),
    });
    await bind.close(5_000);
    expect(bind.state).toBe('closed');
    expect(smsc.peers).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  test('a bind under way is waited for and unbound: the SMSC would count it beside the next one', async () => {
    const { bind, smsc, states } = started();
    const peer = await smsc.peer();
    await peer.got('bind_transceiver');
    let isClosed = false;
    const closed = bind.close(5_000).then(() => {
      isClosed = true;
    });
    await settle();
    expect({ isClosed, ended: peer.ended }).toEqual({ isClosed: false, ended: false });
    await smsc.bound();
    const { sequence } = await peer.got('unbind');
    await settle();
    expect(isClosed).toBe(false);
    peer.send({ command: 'unbind_resp', sequence });
    await closed;
    expect(states).toEqual(['connecting', 'closing', 'closed']);
    expect(smsc.peers).toHaveLength(1);
  });

  test('a bind under way that is refused ends the wait', async () => {
    const { bind, smsc } = started();
    await (await smsc.peer()).got('bind_transceiver');
    const closed = bind.close(5_000);
    const peer = await smsc.bound(1, 0x05);
    await closed;
    expect(bind.state).toBe('closed');
    expect(peer.of('unbind')).toEqual([]);
    expect(smsc.peers).toHaveLength(1);
  });

  test('a bind that is never answered is waited for as long as the grace', async () => {
    const { bind, smsc, clock } = started();
    const peer = await smsc.peer();
    await peer.got('bind_transceiver');
    const closed = bind.close(500);
    clock.advance(250);
    await settle();
    expect(peer.ended).toBe(false);
    clock.advance(250);
    await closed;
    expect(bind.state).toBe('closed');
    clock.advance(1_000);
    expect(clock.pending).toEqual([]);
  });

  test('twice is once', async () => {
    const { bind } = started();
    const first = bind.close(0);
    expect(bind.close(0)).toBe(first);
    await first;
  });
});

describe('a pair', () => {
  test('is open only while both halves are; submits go out on the transmitter', async () => {
    const { bind, smsc, clock, reached } = started({ type: 'transmitter_receiver' });
    const transmitter = await smsc.bound(1);
    expect(transmitter.received[0]).toMatchObject({ command: 'bind_transmitter' });
    await until(() => smsc.peers[1]?.received[0], { what: 'the second bind', everyMs: 1 });
    expect(bind.open).toBe(false);
    const receiver = await smsc.bound(2);
    expect(receiver.received[0]).toMatchObject({ command: 'bind_receiver' });
    await reached('bound');

    const result = bind.submit(submit);
    const { sequence } = await transmitter.got('submit_sm');
    receiver.cut();
    await reached('backing_off');
    expect(bind.free).toBe(0);
    // The half that lives still brings the answer.
    transmitter.send({ command: 'submit_sm_resp', sequence, message_id: 'x' });
    expect(await result).toMatchObject({ kind: 'answered', messageId: 'x' });

    clock.advance(1_000);
    await smsc.bound(3);
    await reached('bound');
    await bind.close(0);
  });

  test('is as well as its worse half', async () => {
    const { bind, smsc, reached } = started({ type: 'transmitter_receiver' });
    await smsc.bound(1);
    await smsc.bound(2, 0x0e);
    await reached('alarm');
    await bind.close(0);
    expect(bind.state).toBe('closed');
  });
});
