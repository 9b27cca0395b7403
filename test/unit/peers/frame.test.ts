// Frames survive every cut of the stream; what is no frame is a fault, and never memory.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrames, type Frame, Framer, maxBodyOctets, maxGreetingOctets } from '../../../src/peers/frame.ts';

const frames: fc.Arbitrary<Frame[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('greeting', 'ask', 'taken', 'answer', 'late', 'failed', 'ping'),
    number: fc.nat({ max: 2 ** 32 - 1 }),
    at: fc.nat({ max: 2 ** 32 - 1 }),
    body: fc.string({ unit: 'grapheme', maxLength: 60 }),
  }),
  { maxLength: 12 },
);

function read(chunks: readonly Buffer[], mostOctets = maxBodyOctets) {
  const framer = new Framer();
  framer.mostOctets = mostOctets;
  const out: Frame[] = [];
  for (const chunk of chunks) framer.push(chunk, (frame) => out.push(frame));
  return { out, fault: framer.fault };
}

/** The stream in pieces that end at these places. */
function cut(stream: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  return at.slice(1).map((end, index) => stream.subarray(at[index], end));
}

test('any frames in any pieces come out as they went in', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(), { maxLength: 10 }), (sent, places) => {
      expect(read(cut(encodeFrames(sent), places))).toEqual({ out: sent, fault: null });
    }),
  );
});

test('any octets are frames or a fault, and the frames before a fault are good', () => {
  fc.assert(
    fc.property(
      frames,
      fc.uint8Array({ minLength: 13, maxLength: 200 }),
      fc.array(fc.nat()),
      (sent, garbage, places) => {
        const { out } = read(cut(Buffer.concat([encodeFrames(sent), garbage]), places));
        expect(out.slice(0, sent.length)).toEqual(sent);
      },
    ),
  );
});

const header = (length: number, kind = 2): Buffer => {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt8(kind, 4);
  return bytes;
};

test.each([
  ['too_small', header(0)],
  ['too_small', header(8)],
  ['too_large', header(9 + maxBodyOctets + 1)],
  ['too_large', header(2 ** 32 - 1)],
  ['unknown_kind', header(9, 0)],
  ['unknown_kind', header(9, 200)],
  ['too_large', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
])('%s is a fault as soon as the header is there', (fault, bytes) => {
  expect(read([bytes])).toEqual({ out: [], fault });
});

test('after a fault nothing is read', () => {
  expect(read([header(0), encodeFrames([{ kind: 'ping', number: 1, at: 1, body: '' }])]).out).toEqual([]);
});

test('the longest body is a frame; before the greeting a longer one than a greeting is a fault', () => {
  const body = 'x'.repeat(maxBodyOctets);
  const long = encodeFrames([{ kind: 'answer', number: 7, at: 0, body }]);
  expect(read([long]).out).toEqual([{ kind: 'answer', number: 7, at: 0, body }]);
  expect(read([long], maxGreetingOctets).fault).toBe('too_large');
});
