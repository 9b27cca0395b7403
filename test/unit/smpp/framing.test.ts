import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Framer } from '../../../src/smpp/framing.ts';
import { cpuMs } from '../../support/cpu.ts';
import { vectors } from './vectors.ts';

const frames = vectors.map(({ hex }) => Buffer.from(hex, 'hex'));
const stream = Buffer.concat(frames);

/** All that comes out when the stream arrives in these chunks. */
function framed(chunks: readonly Buffer[], framer = new Framer()) {
  const out: Buffer[] = [];
  let fault = null;
  for (const chunk of chunks) {
    const result = framer.push(chunk);
    out.push(...result.frames);
    fault = result.fault;
  }
  return { out, fault };
}
const header = (length: number): Buffer => {
  const frame = Buffer.alloc(16);
  frame.writeUInt32BE(length, 0);
  return frame;
};

describe('half PDUs', () => {
  test('every split into two gives the same PDUs', () => {
    for (let at = 0; at <= stream.length; at++) {
      expect(framed([stream.subarray(0, at), stream.subarray(at)])).toEqual({ out: frames, fault: null });
    }
  });

  test('octet by octet', () => {
    const chunks = [...stream].map((octet) => Buffer.from([octet]));
    expect(framed(chunks)).toEqual({ out: frames, fault: null });
  });

  test('any splits', () => {
    const cuts = fc.array(fc.nat({ max: stream.length }), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (places) => {
        const at = [0, ...places.toSorted((a, b) => a - b), stream.length];
        const chunks = at.slice(1).map((end, i) => stream.subarray(at[i], end));
        expect(framed(chunks)).toEqual({ out: frames, fault: null });
      }),
      { numRuns: 200 },
    );
  });

  test('the longest PDU in single octets takes linear time', () => {
    const long = Buffer.alloc(65_536);
    long.writeUInt32BE(long.length, 0);
    const framer = new Framer();
    let out: Buffer[] = [];
    const tookMs = cpuMs(() => {
      for (let i = 0; i < long.length; i++) out = framer.push(long.subarray(i, i + 1)).frames;
    });
    expect(out).toEqual([long]);
    expect(tookMs).toBeLessThan(1_000);
  });
});

describe('a wrong length is the end', () => {
  test.each([
    [0, 'length_too_small'],
    [15, 'length_too_small'],
    [65_537, 'length_too_large'],
    [0xffffffff, 'length_too_large'],
    [0x48545450, 'length_too_large'], // "HTTP"
  ])('%d', (length, reason) => {
    expect(framed([header(length)])).toEqual({ out: [], fault: { reason, length } });
  });

  test('PDUs before it are good, and nothing after it is looked at', () => {
    const framer = new Framer();
    const fault = { reason: 'length_too_small', length: 3 };
    expect(framed([Buffer.concat([frames[0]!, frames[1]!, header(3), frames[2]!])], framer)).toEqual({
      out: [frames[0], frames[1]],
      fault,
    });
    expect(framed([frames[0]!], framer)).toEqual({ out: [], fault });
  });

  test('it is known from the first four octets on, before memory is spent on it', () => {
    expect(framed([header(65_537).subarray(0, 4)]).fault).toMatchObject({ length: 65_537 });
  });

  test('the limit is a setting', () => {
    expect(framed([header(100)], new Framer(99)).fault).toMatchObject({ reason: 'length_too_large' });
  });
});
