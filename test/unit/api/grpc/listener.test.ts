// The first octets of an HTTP/2 connection, however they are cut.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeBeginning } from '../../../../src/api/grpc/listener.ts';

const magic = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frame = (type: number, length: number) => {
  const head = Buffer.alloc(9 + length);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  return head;
};

test('is complete with its SETTINGS, and not before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), fc.uint8Array({ maxLength: 40 }), (entries, more) => {
      const begun = Buffer.concat([magic, frame(4, entries * 6)]);
      for (let end = 0; end < begun.length; end += 1) expect(judgeBeginning(begun.subarray(0, end))).toBe('more');
      expect(judgeBeginning(begun)).toBe('complete');
      expect(judgeBeginning(Buffer.concat([begun, more]))).toBe('complete');
    }),
  );
});

test.each([
  ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\n')],
  ['a TLS hello', Buffer.from([0x16, 0x03, 0x01])],
  ['another frame first', Buffer.concat([magic, frame(1, 0)])],
  ['SETTINGS without end', Buffer.concat([magic, frame(4, 16_386)])],
])('is not %s', (_, bytes) => {
  expect(judgeBeginning(bytes)).toBe('wrong');
});
