// The calls as a page shows them.
import { expect, test } from 'vitest';
import { Calls } from '../../../../src/sandbox/phones/calls.ts';

test('clearing forgets the calls that are over, and none that is up', () => {
  const calls = new Calls({ now: () => 0, after: () => () => {} });
  const [over, up] = ['+213550000001', '+213550000002'].map((to) =>
    calls.begin({ to, from: '+21321000000', person: false }),
  );
  over?.end('declined');
  expect(calls.list()).toHaveLength(2);
  calls.clear();
  expect(calls.list()).toMatchObject([{ id: up?.id, state: 'ringing' }]);
});
