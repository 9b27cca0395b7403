import { describe, expect, test } from 'vitest';
import { encodePdu } from '../../../src/smpp/codec.ts';
import { until } from '../../support/wait.ts';
import { connected, eventually, settle, submit } from './connected.ts';

describe('deliveries', () => {
  const deliver = (sequence: number) => ({ command: 'deliver_sm', sequence, source_addr: String(sequence) }) as const;

  test('are acknowledged only when the handler is done, with its status', async () => {
    let done = (_: { status: number }) => {};
    const { peer } = connected({
      onDeliver: () =>
        new Promise((resolve) => {
          done = resolve;
        }),
    });
    peer.send(deliver(3));
    await settle();
    expect(peer.received).toEqual([]);
    done({ status: 0x14 });
    expect(await peer.got('deliver_sm_resp')).toMatchObject({ sequence: 3, status: 0x14 });
  });

  test('data_sm has its own answer', async () => {
    const { peer, delivered } = connected();
    peer.send({ command: 'data_sm', sequence: 4 });
    expect(await peer.got('data_sm_resp')).toMatchObject({ sequence: 4, status: 0 });
    expect(delivered).toMatchObject([{ kind: 'message', pdu: { command: 'data_sm' } }]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no database'))],
  ])('a handler that %s: system error, and the connection lives', async (_, onDeliver) => {
    const { peer, oddities } = connected({ onDeliver });
    peer.send(deliver(3));
    peer.send({ command: 'enquire_link', sequence: 4 });
    expect(await peer.got('deliver_sm_resp')).toMatchObject({ sequence: 3, status: 0x08 });
    expect(await peer.got('enquire_link_resp')).toMatchObject({ sequence: 4 });
    expect(oddities).toEqual(['handler_failed']);
  });

  test('a malformed one is shown as it came, then acknowledged', async () => {
    const { peer, delivered, oddities } = connected();
    const frame = Buffer.from('0000001400000005000000000000000761626364', 'hex');
    peer.stream.write(frame);
    expect(await peer.got('deliver_sm_resp')).toMatchObject({ sequence: 7, status: 0 });
    expect(delivered).toEqual([{ kind: 'malformed', reason: 'service_type is cut off', frame }]);
    expect(oddities).toEqual(['malformed_request']);
  });

  test('no more than the limit at once: reading stops, and nothing is lost', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    let running = 0;
    const { peer, ours, clock, connection } = connected({
      onDeliver: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => waiting.push(resolve));
        running -= 1;
        return { status: 0 };
      },
    });
    // In one chunk: reading can only stop behind it.
    peer.stream.write(Buffer.concat(Array.from({ length: 20 }, (_, i) => encodePdu(deliver(i + 1)))));
    await eventually('three handlers', () => running === 3);
    await settle();
    expect(ours.isPaused()).toBe(true);
    clock.advance(120_000); // our own deafness is not held against the peer
    for (let i = 0; i < 20; i++) (await until(() => waiting.shift(), { what: 'a handler', everyMs: 1 }))();
    await peer.got('deliver_sm_resp', 20);
    expect(most).toBe(3);
    expect(ours.isPaused()).toBe(false);
    expect(await Promise.race([connection.closed, 'open'])).toBe('open');
  });

  test('while reading is stopped, nothing should be sent: its answer would not be read', async () => {
    const ends: (() => void)[] = [];
    let told = 0;
    const { peer, connection } = connected({
      maxDeliveries: 1,
      onWritable: () => {
        told += 1;
      },
      onDeliver: async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return { status: 0 };
      },
    });
    peer.send(deliver(1));
    await eventually('the handler', () => ends.length === 1);
    expect(connection.writable).toBe(false);
    ends[0]!();
    await peer.got('deliver_sm_resp');
    expect([connection.writable, told]).toEqual([true, 1]);
  });

  test('while reading is stopped, an answer that is not read is no answer that never came', async () => {
    const ends: (() => void)[] = [];
    const { peer, connection, clock } = connected({
      maxDeliveries: 1,
      onDeliver: async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return { status: 0 };
      },
    });
    const outcomes = [connection.request(submit), connection.request(submit)];
    await peer.got('submit_sm', 2);
    peer.send(deliver(1));
    await eventually('the handler', () => ends.length === 1);
    peer.send({ command: 'submit_sm_resp', sequence: 1, message_id: 'x' });
    clock.advance(30_000);
    await settle();
    ends[0]!();
    await peer.got('deliver_sm_resp');
    expect(await outcomes[0]).toMatchObject({ kind: 'answered', answer: { message_id: 'x' } });
    clock.advance(100);
    expect(await outcomes[1]).toEqual({ kind: 'unknown', reason: 'timeout' });
  });

  test('a handler that never ends loses its place, and is answered once', async () => {
    let end = () => {};
    let started = 0;
    const { peer, clock, oddities } = connected({
      maxDeliveries: 1,
      deliverTimeoutMs: 60_000,
      onDeliver: async () => {
        started += 1;
        if (started === 1) await new Promise<void>((resolve) => (end = resolve));
        return { status: 0 };
      },
    });
    peer.send(deliver(1));
    peer.send(deliver(2));
    await eventually('the handler', () => started === 1);
    clock.advance(90_000);
    expect(await peer.got('deliver_sm_resp', 1)).toMatchObject({ sequence: 1, status: 0x08 });
    expect(await peer.got('deliver_sm_resp', 2)).toMatchObject({ sequence: 2, status: 0 });
    end();
    await settle();
    expect(peer.of('deliver_sm_resp')).toHaveLength(2);
    expect(oddities).toEqual(['handler_failed']);
  });

  test('done after the connection is gone: no answer, no harm', async () => {
    let done = () => {};
    const { peer, connection } = connected({
      onDeliver: async () => {
        await new Promise<void>((resolve) => {
          done = resolve;
        });
        return { status: 0 };
      },
    });
    peer.send(deliver(1));
    await settle();
    peer.cut();
    connection.destroy({ kind: 'error', detail: 'test' });
    done();
    await settle();
    expect(peer.received).toEqual([]);
  });
});
