// What `go test -json` says, as the suites count it.
import { expect, test } from 'vitest';
import { goReport, readGoEvents } from '../../sdks/go-report.ts';
import { readJunit } from '../../sdks/junit.ts';

const event = (Action: string, Test?: string, more: object = {}) => ({
  Action,
  Package: 'ramz.test/go',
  ...(Test === undefined ? {} : { Test }),
  ...more,
});
const counted = (...events: ReturnType<typeof event>[]) => readJunit(goReport(events));

test('tests count once: those with subtests by these', () => {
  const result = counted(
    event('run', 'TestA'),
    event('run', 'TestA/one'),
    event('pass', 'TestA/one'),
    event('pass', 'TestA/two'),
    event('pass', 'TestA'),
    event('pass', 'TestAlone'),
    event('pass'),
  );
  expect(result).toEqual({ passed: 3, failed: [], skipped: [] });
});

test('a failure counts once, where it happened', () => {
  const failing = [event('fail', 'TestA/one'), event('fail', 'TestA'), event('pass', 'TestB'), event('fail')];
  expect(counted(...failing)).toMatchObject({ passed: 1, failed: [{ name: 'ramz.test/go > TestA/one' }] });
  expect(counted(event('pass', 'TestA/one'), event('fail', 'TestA'), event('fail'))).toMatchObject({
    passed: 1,
    failed: [{ name: 'ramz.test/go > TestA' }],
  });
});

test('what began and never ended has failed', () => {
  expect(counted(event('run', 'TestA'), event('pass', 'TestB'))).toMatchObject({
    passed: 1,
    failed: [{ name: 'ramz.test/go > TestA' }],
  });
});

test('a package that does not build has failed', () => {
  const text = goReport([event('build-output', undefined, { Output: 'undefined: "x" <y>\u0001' }), event('fail')]);
  expect(text).toContain('undefined: &quot;x&quot; &lt;y&gt;</failure>');
  expect(readJunit(text)).toMatchObject({ failed: [{ reason: 'undefined: "x" <y>' }] });
});

test('a package without tests is nothing; no test at all is a failure', () => {
  expect(counted(event('pass', 'TestA'), event('skip', undefined, { Package: 'other' }))).toMatchObject({
    passed: 1,
    failed: [],
  });
  expect(counted(event('skip'))).toMatchObject({ failed: [{ name: 'report', reason: 'it has no case' }] });
});

test('a skip has its reason', () => {
  const output = ['=== RUN   TestA\n', '    a_test.go:1: no service\n', '--- SKIP: TestA (0.00s)\n'];
  const { skipped } = counted(...output.map((Output) => event('output', 'TestA', { Output })), event('skip', 'TestA'));
  expect(skipped).toEqual([{ name: 'ramz.test/go > TestA', reason: 'a_test.go:1: no service' }]);
});

test('lines that are no events are passed over', () => {
  expect(readGoEvents('go: downloading\n{"Action":"pass","Test":"TestA"}\n')).toEqual([
    { Action: 'pass', Test: 'TestA' },
  ]);
});
