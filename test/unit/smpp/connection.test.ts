import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FieldError } from '../../../src/smpp/pdu.ts';
import { connected, eventually, settle, submit } from './connected.ts';
import { vectors } from './vectors.ts';

describe('requests', () => {
  test('are answered by sequence number, out of order too', async () => {
    const { connection, peer, clock } = connected();
    const [first, second] = [connection.request(submit), connection.request(submit)];
    await peer.got('submit_sm', 2);
    clock.advance(40);
    peer.send({ command: 'submit_sm_resp', sequence: 2, message_id: 'b' });
    peer.send({ command: 'submit_sm_resp', sequence: 1, status: 0x58 });
    expect(await second).toMatchObject({ kind: 'answered', status: 0, rttMs: 40, answer: { message_id: 'b' } });
    expect(await first).toMatchObject({ kind: 'answered', status: 0x58 });
  });

  test('of one turn leave in one write', async () => {
    const { connection, ours } = connected();
    const writes: number[] = [];
    const write = ours.write.bind(ours);
    ours.write = (chunk: Buffer) => {
      writes.push(chunk.length);
      return write(chunk);
    };
    for (let i = 0; i < 5; i++) void connection.request(submit);
    await eventually('a write', () => writes.length > 0);
    await settle();
    expect(writes).toHaveLength(1);
    connection.destroy({ kind: 'closed_by_us', detail: '' });
  });

  test('generic_nack answers them, as a refusal even without a status', async () => {
    const { connection, peer } = connected();
    const outcome = connection.request(submit);
    await peer.got('submit_sm');
    peer.send({ command: 'generic_nack', sequence: 1 });
    expect(await outcome).toMatchObject({ kind: 'answered', status: 0xff });
  });

  test('that cannot be encoded leave nothing behind', async () => {
    const { connection, peer } = connected();
    await expect(connection.request({ ...submit, source_addr: 'A\0B' })).rejects.toThrow(FieldError);
    await settle();
    expect(peer.received).toEqual([]);
    await connection.idle(1_000_000);
  });
});

describe('no answer', () => {
  test('in time: unknown, and a late answer is told with the request it belongs to', async () => {
    const { connection, peer, clock, late, oddities } = connected();
    const outcome = connection.request(submit);
    await peer.got('submit_sm');
    clock.advance(9_999);
    await settle();
    clock.advance(1);
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'timeout' });
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'x' });
    await eventually('the late answer', () => late.length > 0);
    expect(late).toMatchObject([{ status: 0, answer: { message_id: 'x' } }]);
    expect((late[0] as { request: unknown }).request).toBe(submit);
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'x' });
    await eventually('the duplicate', () => oddities.includes('duplicate_answer'));
  });

  test('that this process has not read yet, since it stood still itself, is no answer that never came', async () => {
    const { connection, peer, clock, oddities } = connected();
    const outcomes = [connection.request(submit), connection.request(submit)];
    await peer.got('submit_sm', 2);
    clock.freeze(12_000);
    // Timers ring before sockets are read.
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'x' });
    expect(await outcomes[0]).toMatchObject({ kind: 'answered', answer: { message_id: 'x' } });
    clock.advance(99);
    await settle();
    clock.advance(1);
    expect(await outcomes[1]).toEqual({ kind: 'unknown', reason: 'timeout' });
    expect(oddities).toEqual([]);
  });

  test('a request may have a deadline of its own', async () => {
    const { connection, clock } = connected();
    const [patient, hasty] = [connection.request(submit), connection.request(submit, 50)];
    clock.advance(50);
    expect(await hasty).toMatchObject({ kind: 'unknown' });
    clock.advance(9_950);
    expect(await patient).toMatchObject({ kind: 'unknown' });
  });

  test('connection cut: unknown what was written, not sent what was not', async () => {
    const { connection, peer } = connected();
    const written = connection.request(submit);
    await peer.got('submit_sm');
    const waiting = connection.request(submit); // leaves at the end of this turn, which never comes
    connection.destroy({ kind: 'error', detail: 'test' });
    const after = connection.request(submit);
    expect(await written).toEqual({ kind: 'unknown', reason: 'connection_lost' });
    expect(await waiting).toEqual({ kind: 'not_sent' });
    expect(await after).toEqual({ kind: 'not_sent' });
  });

  test('a peer that reads nothing: what its buffers do not take is not sent', async () => {
    const { connection, peer, ours } = connected();
    peer.stream.pause();
    const big = { ...submit, tlvs: [{ tag: 0x424, value: Buffer.alloc(40_000) }] };
    const outcomes = [];
    for (let i = 0; i < 10; i++) {
      outcomes.push(connection.request(big));
      await settle();
    }
    expect(connection.writable).toBe(false);
    expect(ours.writableLength).toBeLessThan(200_000);
    connection.destroy({ kind: 'error', detail: 'test' });
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(kinds[0]).toBe('unknown');
    expect(kinds.at(-1)).toBe('not_sent');
  });
});

describe('odd answers are survived', () => {
  test.each([
    ['unknown sequence', { command: 'submit_sm_resp', sequence: 99 }, 'unknown_answer'],
    ['another command', { command: 'query_sm_resp', sequence: 1 }, 'unknown_answer'],
    ['generic_nack to nothing', { command: 'generic_nack', sequence: 0, status: 2 }, 'unknown_answer'],
  ] as const)('%s', async (_, pdu, oddity) => {
    const { connection, peer, oddities } = connected();
    const outcome = connection.request(submit);
    await peer.got('submit_sm');
    peer.send(pdu);
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'ok' });
    expect(await outcome).toMatchObject({ kind: 'answered', answer: { message_id: 'ok' } });
    expect(oddities).toEqual([oddity]);
  });
});

describe('what the SMSC asks', () => {
  test('enquire_link is answered', async () => {
    const { peer } = connected();
    peer.send({ command: 'enquire_link', sequence: 77 });
    expect(await peer.got('enquire_link_resp')).toMatchObject({ sequence: 77, status: 0 });
  });

  test('unbind is answered, then it is over', async () => {
    const { connection, peer } = connected();
    peer.send({ command: 'unbind', sequence: 5 });
    expect(await peer.got('unbind_resp')).toMatchObject({ sequence: 5 });
    peer.stream.end();
    expect(await connection.closed).toMatchObject({ kind: 'unbound_by_peer' });
    await eventually('the end', () => peer.ended);
  });

  test('a receipt behind the answer to unbind is taken and answered; an SMSC that does not close has a second', async () => {
    const { connection, peer, clock, delivered } = connected();
    peer.send({ command: 'unbind', sequence: 5 });
    await peer.got('unbind_resp');
    peer.send({ command: 'deliver_sm', sequence: 6, short_message: Buffer.from('late') });
    expect(await peer.got('deliver_sm_resp')).toMatchObject({ sequence: 6, status: 0 });
    expect(delivered).toHaveLength(1);
    clock.advance(999);
    await settle();
    expect(peer.ended).toBe(false);
    clock.advance(1);
    expect(await connection.closed).toMatchObject({ kind: 'unbound_by_peer' });
    await eventually('the end', () => peer.ended);
  });

  test('a second unbind is the end at once', async () => {
    const { connection, peer } = connected();
    peer.send({ command: 'unbind', sequence: 5 });
    await peer.got('unbind_resp');
    peer.send({ command: 'unbind', sequence: 6 });
    expect(await connection.closed).toMatchObject({ kind: 'unbound_by_peer' });
    expect(await peer.got('unbind_resp', 2)).toMatchObject({ sequence: 6 });
  });

  test('unbind lets the window end first, two seconds at most; nothing more is sent', async () => {
    const { connection, peer, clock } = connected();
    const [answered, unanswered] = [connection.request(submit), connection.request(submit)];
    await peer.got('submit_sm', 2);
    peer.send({ command: 'unbind', sequence: 5 });
    await eventually('the unbind to be read', () => !connection.writable);
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'a' });
    expect(await answered).toMatchObject({ kind: 'answered' });
    await settle();
    expect(peer.of('unbind_resp')).toEqual([]);
    clock.advance(2_000);
    expect(await peer.got('unbind_resp')).toMatchObject({ sequence: 5 });
    peer.stream.end();
    expect(await unanswered).toEqual({ kind: 'unknown', reason: 'connection_lost' });
  });

  test('unbind is answered as soon as the last answer is there', async () => {
    const { connection, peer } = connected();
    const answered = connection.request(submit);
    await peer.got('submit_sm');
    peer.send({ command: 'unbind', sequence: 5 });
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'a' });
    expect(await answered).toMatchObject({ kind: 'answered' });
    expect(await peer.got('unbind_resp')).toMatchObject({ sequence: 5 });
  });

  test('alert_notification and outbind get no answer, and are counted', async () => {
    const { peer, oddities } = connected();
    peer.stream.write(Buffer.from('000000100000010200000000000000070000001000000' + '00b0000000000000008', 'hex'));
    await eventually('both to be read', () => oddities.length === 2);
    await settle();
    expect(peer.received).toEqual([]);
    expect(oddities).toEqual(['alert_notification', 'outbind']);
  });

  test('an unknown command gets generic_nack 0x03, an unknown answer nothing', async () => {
    const { peer, oddities } = connected();
    peer.stream.write(Buffer.from('0000001080000abc0000000000000007', 'hex'));
    peer.stream.write(Buffer.from('0000001000000abc0000000000000008', 'hex'));
    expect(await peer.got('generic_nack')).toMatchObject({ sequence: 8, status: 3 });
    expect(peer.received).toHaveLength(1);
    expect(oddities).toEqual(['unknown_command', 'unknown_command']);
  });

  test('what no SMSC asks of a client gets generic_nack 0x03', async () => {
    const { peer } = connected();
    peer.send({ command: 'submit_sm', sequence: 9 });
    expect(await peer.got('generic_nack')).toMatchObject({ sequence: 9, status: 3 });
  });
});

describe('the stream goes wrong', () => {
  test('a length that is none: generic_nack, and it is over', async () => {
    const { connection, peer } = connected();
    const outcome = connection.request(submit);
    await peer.got('submit_sm');
    peer.stream.write(Buffer.from('HTTP/1.1 400 Bad Request\r\n'));
    expect(await connection.closed).toMatchObject({ kind: 'garbage' });
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'connection_lost' });
    expect(await peer.got('generic_nack')).toMatchObject({ status: 2 });
    await eventually('the end', () => peer.ended);
  });

  test('a good PDU in front of the garbage still counts', async () => {
    const { connection, peer } = connected();
    const outcome = connection.request(submit);
    await peer.got('submit_sm');
    peer.stream.write(Buffer.from('0000001380000004000000000000000161620000000003', 'hex'));
    expect(await outcome).toMatchObject({ kind: 'answered', answer: { message_id: 'ab' } });
    expect(await connection.closed).toMatchObject({ kind: 'garbage' });
  });

  test('the peer ends', async () => {
    const { connection, peer } = connected();
    peer.stream.end();
    expect(await connection.closed).toMatchObject({ kind: 'closed_by_peer' });
  });

  test('an error of the stream', async () => {
    const { connection, ours } = connected();
    ours.destroy(new Error('read ECONNRESET'));
    expect(await connection.closed).toEqual({ kind: 'error', detail: 'read ECONNRESET' });
  });
});

test('whatever octets come, nothing throws and every request ends', async () => {
  const whole = Buffer.concat(vectors.map(({ hex }) => Buffer.from(hex, 'hex')));
  const damage = fc.record({ at: fc.nat({ max: whole.length - 1 }), octet: fc.nat({ max: 255 }) });
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
    fc.array(damage, { maxLength: 6 }).map((places) => {
      const copy = Buffer.from(whole);
      for (const { at, octet } of places) copy[at] = octet;
      return copy;
    }),
  );
  await fc.assert(
    fc.asyncProperty(noise, fc.nat({ max: 1_000 }), async (octets, cut) => {
      const { connection, peer, clock } = connected();
      const outcome = connection.request(submit);
      await settle();
      peer.stream.write(octets.subarray(0, cut));
      peer.stream.write(octets.subarray(cut));
      await settle();
      clock.advance(60_000);
      expect(['answered', 'unknown']).toContain((await outcome).kind);
      connection.destroy({ kind: 'closed_by_us', detail: 'end of test' });
      await connection.closed;
    }),
    { numRuns: 100 },
  );
});

describe('silence', () => {
  test('enquire_link is sent, and answered it keeps the connection', async () => {
    const { peer, clock } = connected();
    clock.advance(25_000);
    const { sequence } = await peer.got('enquire_link');
    peer.send({ command: 'enquire_link_resp', sequence });
    await settle();
    clock.advance(24_999);
    await settle();
    expect(peer.of('enquire_link')).toHaveLength(1);
    clock.advance(1);
    await peer.got('enquire_link', 2);
  });

  test('two unanswered are the end', async () => {
    const { connection, peer, clock } = connected();
    clock.advance(25_000);
    await peer.got('enquire_link');
    clock.advance(10_000);
    await peer.got('enquire_link', 2);
    clock.advance(10_000);
    expect(await connection.closed).toMatchObject({ kind: 'dead' });
    expect(clock.pending).toEqual([]);
  });

  test('inactivity, where it is set', async () => {
    const { connection, clock } = connected({ inactivityMs: 60_000, enquireLinkIdleMs: 600_000 });
    clock.advance(60_000);
    expect(await connection.closed).toMatchObject({ kind: 'inactive' });
  });
});

describe('unbind and messages that came meanwhile', () => {
  /** A connection that unbinds while a message is with its handler. */
  async function unbinding() {
    const handled = Promise.withResolvers<{ status: number }>();
    const { connection, peer, clock } = connected({ onDeliver: () => handled.promise });
    let isOver = false;
    const unbound = connection.unbind(5_000).then(() => {
      isOver = true;
    });
    const { sequence } = await peer.got('unbind');
    peer.send({ command: 'deliver_sm', sequence: 7 });
    peer.send({ command: 'unbind_resp', sequence });
    return { connection, peer, clock, handled, unbound, isOver: () => isOver };
  }

  test('they are answered before the end', async () => {
    const { peer, handled, unbound, isOver } = await unbinding();
    await settle();
    expect([isOver(), peer.ended]).toEqual([false, false]);
    handled.resolve({ status: 0 });
    await unbound;
    expect(await peer.got('deliver_sm_resp')).toMatchObject({ sequence: 7, status: 0 });
    await eventually('the end', () => peer.ended);
  });

  test('their handlers are waited for where the SMSC closes at once', async () => {
    const { connection, peer, handled, unbound, isOver } = await unbinding();
    await settle();
    peer.stream.end();
    expect(await connection.closed).toMatchObject({ kind: 'closed_by_peer' });
    await settle();
    expect(isOver()).toBe(false);
    handled.resolve({ status: 0 });
    await unbound;
  });

  test('one that does not end holds nothing up for longer', async () => {
    const { clock, unbound } = await unbinding();
    await settle();
    clock.advance(5_000);
    await unbound;
  });
});

test('an unbind that waits for nothing is the end at once', async () => {
  const { connection } = connected();
  const unbound = connection.unbind(0);
  expect(connection.writable).toBe(false);
  await unbound;
});

test('unbind waits for its answer', async () => {
  const { connection, peer } = connected();
  const unbound = connection.unbind(5_000);
  peer.send({ command: 'unbind_resp', sequence: (await peer.got('unbind')).sequence });
  await unbound;
  expect(await connection.closed).toMatchObject({ kind: 'closed_by_us' });
  await eventually('the end', () => peer.ended);
});
