// The bytes of a body: whole, whatever its chunks, and in no more memory than they need.
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBytes } from '../../../src/api/rest/body.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const newRequest = () => Object.assign(new EventEmitter(), { pause: () => {} });
const read = (request: EventEmitter, maxBytes: number) => readBytes(request as IncomingMessage, maxBytes);

test('a body is whole, in however many chunks it arrives, and those stay as they are', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(chunks, async (given) => {
      const whole = Buffer.concat(given);
      const request = newRequest();
      const body = read(request, whole.length);
      const sent = given.map((each) => Buffer.from(each));
      for (const each of sent) request.emit('data', each);
      request.emit('end');
      expect(await body).toEqual(whole);
      expect(sent).toEqual(given.map((each) => Buffer.from(each)));
    }),
  );
});

test('a body of one byte at a time costs its bytes, not hundreds for each', async () => {
  const used = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const request = newRequest();
  const body = read(request, 3 * 1024 * 1024);
  const before = used();
  for (let nth = 0; nth < 300_000; nth += 1) request.emit('data', Buffer.alloc(1, 'x'));
  expect(used() - before).toBeLessThan(5_000_000);
  request.emit('end');
  expect((await body).length).toBe(300_000);
});
