// The background loop: it outlives failures, and ends when it is stopped.
import { expect, test } from 'vitest';
import { repeat } from '../../../src/time/repeat.ts';

test('a loop reports a run that throws, and runs again', async () => {
  const again = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  let runs = 0;
  const loop = repeat({
    everyMs: 60_000,
    afterErrorMs: 1,
    onError: (error) => errors.push(error),
    async run() {
      runs += 1;
      if (runs < 3) throw new Error(`run ${runs}`);
      again.resolve();
    },
  });
  await again.promise;
  await loop.stop(); // Within the minute of its pause.
  expect(errors).toEqual([new Error('run 1'), new Error('run 2')]);
  expect(runs).toBe(3);
});

test('stopping waits for the run under way, and no other begins', async () => {
  const run = Promise.withResolvers<void>();
  let runs = 0;
  let stopped = false;
  const onError = () => {};
  const loop = repeat({ everyMs: 0, run: () => run.promise.finally(() => (runs += 1)), onError });
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  run.resolve();
  await stopping;
  expect(runs).toBe(1);
});
