// Telephone events: one press is one key, whatever the network does to its packets.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyReader } from '../../../../../src/channels/voice/media/dtmf.ts';

interface Packet {
  code: number;
  timestamp: number;
  duration: number;
  end: boolean;
}

/** A press as RFC 4733 has it: a packet each 20 ms, and the last one three times. */
function press(code: number, timestamp: number, samples: number): Packet[] {
  const packets: Packet[] = [];
  for (let duration = 160; duration < samples; duration += 160) packets.push({ code, timestamp, duration, end: false });
  const end = { code, timestamp, duration: samples, end: true };
  return [...packets, end, end, end];
}

/** A press held for longer than a duration can say: it goes on under the next timestamp (RFC 4733 section 2.5.1.3). */
function hold(code: number, timestamp: number, samples: number): Packet[] {
  if (samples <= 0xffff) return press(code, timestamp, samples);
  const first = press(code, timestamp, 0xffff).slice(0, -2);
  const segment = first.map((packet) => ({ ...packet, end: false }));
  return [...segment, ...hold(code, (timestamp + 0xffff) >>> 0, samples - 0xffff)];
}

const payload = ({ code, duration, end }: Packet): Uint8Array =>
  Uint8Array.of(code, (end ? 0x80 : 0) | 10, duration >> 8, duration & 0xff);

const keysOf = (packets: readonly Packet[], reader = new KeyReader()): string =>
  packets.map((packet) => reader.take(payload(packet), packet.timestamp) ?? '').join('');

describe('one key', () => {
  test.each([...'0123456789*#ABCD'].map((digit, code) => [digit, code] as const))('%s', (digit, code) => {
    expect(keysOf(press(code, 1_000, 800))).toBe(digit);
  });

  test('with its start lost, with its end lost, with one packet left', () => {
    const packets = press(5, 1_000, 1_600);
    expect(keysOf(packets.slice(-1))).toBe('5');
    expect(keysOf(packets.slice(0, -3))).toBe('5');
    for (const packet of packets) expect(keysOf([packet])).toBe('5');
  });

  test('out of order, and with packets that come again after the next key', () => {
    expect(keysOf(press(5, 1_000, 800).reverse())).toBe('5');
    const [first, second] = [press(5, 1_000, 800), press(6, 3_000, 800)];
    expect(keysOf([...first, ...second, ...first, ...second])).toBe('56');
    expect(keysOf([second[0]!, first[0]!, second[1]!, first[3]!])).toBe('65');
  });

  test('held for 20 s', () => {
    expect(keysOf(hold(1, 4_294_900_000, 160_000))).toBe('1');
    // The last packet of each part is lost.
    const parts = hold(1, 0, 160_000);
    expect(keysOf(parts.filter((packet, index) => parts[index + 1]?.timestamp === packet.timestamp))).toBe('1');
  });

  test('whose timestamp rises with each packet', () => {
    const rising = press(8, 0, 1_600).map((packet, index) => ({ ...packet, timestamp: 5_000 + index * 160 }));
    expect(keysOf(rising)).toBe('8');
  });

  test('over the wrap of the timestamp', () => {
    expect(keysOf([...press(2, 0xffff_ff00, 800), ...press(2, 2_000, 800)])).toBe('22');
  });
});

test('the same key twice, as fast as a person or a dialler can', () => {
  expect(keysOf([...press(1, 1_000, 400), ...press(1, 1_720, 400)])).toBe('11');
  // The ends of the first are lost.
  expect(keysOf([...press(1, 1_000, 800).slice(0, -3), ...press(1, 2_120, 800)])).toBe('11');
});

test('no key: other events, short payloads; zeros behind an event are padding', () => {
  const reader = new KeyReader();
  expect(keysOf(press(16, 0, 800), reader)).toBe('');
  expect(keysOf(press(255, 9_000, 800), reader)).toBe('');
  for (const length of [0, 1, 2, 3]) expect(reader.take(new Uint8Array(length), 50_000)).toBeNull();
  expect(reader.take(Uint8Array.of(7, 10, 0, 160, 0, 0, 0, 0), 90_000)).toBe('7');
});

test('presses that lose packets, repeat them and swap them are as many keys, in order', () => {
  const presses = fc.array(
    fc.record({
      code: fc.nat(11),
      pause: fc.integer({ min: 400, max: 8_000 }),
      frames: fc.integer({ min: 2, max: 40 }),
      /** Which packets arrive; at least one does. */
      kept: fc.array(fc.boolean(), { minLength: 4, maxLength: 43 }),
      repeated: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(presses, fc.nat(0xffff_ffff), (list, beginning) => {
      let timestamp = beginning;
      const sent: Packet[] = [];
      for (const { code, pause, frames, kept, repeated } of list) {
        const all = press(code, timestamp, frames * 160);
        const some = all.filter((_, index) => kept[index] ?? true);
        // A run of lost packets is no pause: the same key pressed again is told apart by its timestamp alone.
        const arrived = some.length > 0 ? some : all.slice(-1);
        sent.push(...arrived, ...(repeated ? [...arrived].reverse() : []));
        timestamp = (timestamp + frames * 160 + pause) >>> 0;
      }
      expect(keysOf(sent)).toBe(list.map(({ code }) => '0123456789*#'[code]).join(''));
    }),
    { numRuns: 500 },
  );
});
