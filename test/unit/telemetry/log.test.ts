// Where log lines go when the descriptor behind them misbehaves.
import { expect, test } from 'vitest';
import { createLogOutput, type LogOutputOptions } from '../../../src/telemetry/log.ts';
import { until } from '../../support/wait.ts';

type Write = NonNullable<LogOutputOptions['write']>;

/** A descriptor that does as it is told; `hold` leaves writes unanswered until `answer`. */
function descriptor() {
  let text = '';
  const state = { error: null as string | null, most: 1_000_000, hold: false, writes: 0, answer: () => {} };
  const write: Write = (_, bytes, done) => {
    state.writes += 1;
    const { error, most } = state;
    const act = () => {
      if (error !== null) return done(Object.assign(new Error(error), { code: error }), 0);
      text += bytes.toString('utf8', 0, most);
      done(null, Math.min(most, bytes.length));
    };
    if (state.hold) state.answer = act;
    else setImmediate(act);
  };
  return { state, write, text: () => text };
}

test('lines of one turn leave together, in order, however little is taken at once', async () => {
  const { state, write, text } = descriptor();
  state.most = 3;
  const output = createLogOutput({ write });
  for (const line of ['one\n', 'two\n', 'thrée\n']) output.write(line);
  await until(() => text().endsWith('e\n'), { what: 'all of it' });
  output.write('four\n');
  await until(() => text().endsWith('four\n'), { what: 'the last line' });
});

test('a full disk: the first lines are kept, the rest is counted, and told when there is room again', async () => {
  const { state, write, text } = descriptor();
  state.error = 'ENOSPC';
  const output = createLogOutput({ write, maxWaiting: 100, retryMs: 5 });
  output.write('first\n');
  await until(() => state.writes > 2, { what: 'it to be tried again' });
  for (let nth = 0; nth < 1_000; nth += 1) output.write('123456789\n');
  state.error = null;
  await until(() => text().includes('lost'), { what: 'the loss to be told' });
  const lines = text().trimEnd().split('\n');
  expect(lines[0]).toBe('first');
  expect(lines.filter((line) => line === '123456789')).toHaveLength(10);
  expect(JSON.parse(lines.find((line) => line.startsWith('{')) ?? '')).toMatchObject({ level: 'warn', lines: 990 });
});

test('a reader that does not read costs no more memory than agreed, and stops nobody', () => {
  const { state, write } = descriptor();
  state.hold = true;
  const output = createLogOutput({ write, maxWaiting: 1_000 });
  for (let nth = 0; nth < 100_000; nth += 1) output.write('x'.repeat(100));
  expect(state.writes).toBeLessThanOrEqual(1);
});

test('a reader that has gone is forgotten', async () => {
  const { state, write } = descriptor();
  state.error = 'EPIPE';
  const output = createLogOutput({ write, retryMs: 1 });
  output.write('anybody?\n');
  await until(() => state.writes === 1, { what: 'the try' });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  output.write('anybody?\n');
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(state.writes).toBe(1);
});
