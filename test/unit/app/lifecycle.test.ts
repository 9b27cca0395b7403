import { expect, test } from 'vitest';
import { Lifecycle, type Part } from '../../../src/app/lifecycle.ts';

/** Parts that note what happens to them. */
function parts(log: string[], broken: { start?: string; stop?: string } = {}): Part[] {
  return ['database', 'engine', 'api'].map((name) => ({
    name,
    start: async () => {
      if (broken.start === name) throw new Error(`${name} does not start`);
      log.push(`start ${name}`);
    },
    stop: async () => {
      log.push(`stop ${name}`);
      if (broken.stop === name) throw new Error(`${name} does not stop`);
    },
  }));
}

const onError = () => {};

test('parts stop in the reverse of the order they start in', async () => {
  const log: string[] = [];
  const lifecycle = new Lifecycle(parts(log), { onError });
  await lifecycle.start();
  await lifecycle.stop();
  expect(log).toEqual(['start database', 'start engine', 'start api', 'stop api', 'stop engine', 'stop database']);
});

test('where a part does not start, the ones before it are stopped, and the caller learns why', async () => {
  const log: string[] = [];
  const lifecycle = new Lifecycle(parts(log, { start: 'api' }), { onError });
  await expect(lifecycle.start()).rejects.toThrow('api does not start');
  expect(log).toEqual(['start database', 'start engine', 'stop engine', 'stop database']);
});

test('a part that does not stop keeps no other from stopping', async () => {
  const log: string[] = [];
  const failed: unknown[] = [];
  const lifecycle = new Lifecycle(parts(log, { stop: 'engine' }), { onError: (_, about) => failed.push(about) });
  await lifecycle.start();
  await lifecycle.stop();
  expect([log.at(-1), failed]).toEqual(['stop database', [{ part: 'engine' }]]);
});

test('stopping twice stops each part once', async () => {
  const log: string[] = [];
  const lifecycle = new Lifecycle(parts(log), { onError });
  await lifecycle.start();
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  expect(log.filter((line) => line === 'stop api')).toHaveLength(1);
});

test('a part without a start or a stop is one all the same', async () => {
  const log: string[] = [];
  const lifecycle = new Lifecycle([{ name: 'pool', stop: async () => log.push('stop pool') }, { name: 'idle' }], {
    onError,
  });
  await lifecycle.start();
  await lifecycle.stop();
  expect(log).toEqual(['stop pool']);
});
