// What is kept in memory of sessions. How they change and are stored is tested against a real Postgres (test/integration/engine).
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Subscriber } from '../../../../src/core/webhooks/subscriber.ts';
import type { AccountView } from '../../../../src/engine/accounts/views.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Payments } from '../../../../src/engine/limits/payments.ts';
import { Sessions } from '../../../../src/engine/sessions/sessions.ts';
import type { Store } from '../../../../src/engine/sessions/store.ts';
import { Story } from '../../../support/session.ts';

const account = { endpoints: [] as readonly Subscriber[] } as AccountView;

/** Sessions `vrf_0`… that this process opened, over a store that keeps nothing. */
function opened(count: number, options: { maxOver?: number; maxHeld?: number }): Sessions {
  const story = new Story();
  const store = { save: async () => ({ kind: 'saved', deliveries: [] }), load: async () => null };
  const context = {
    store: store as unknown as Store,
    accounts: { view: async () => account },
    channels: { canSend: () => true, plan: story.world().plan },
    settings: { rules: story.world().rules, sendLimits: {} },
    webhooks: { settings: { leaseMs: 1 } },
    fleet: { processId: 'p' },
    events: new EventEmitter(),
    now: () => 1,
    ids: (prefix: string) => `${prefix}1`,
  };
  const paidFor: Payments['paidFor'] = async (_, make) => ({ made: make((world) => world), held: [], finding: null });
  const payments = { paidFor, giveBack: () => {} };
  const sessions = new Sessions(context as unknown as EngineContext, payments as unknown as Payments, options);
  for (let n = 0; n < count; n += 1) sessions.adopt({ ...story.session, id: `vrf_${n}` }, 'process/p');
  return sessions;
}

async function cancel(sessions: Sessions, id: string): Promise<void> {
  await sessions.apply({ accountId: 'acct_1', id }, { kind: 'cancel', reason: 'canceled_by_client' });
  await setImmediate(); // The line of its events ends a moment after the answer.
}

test('of those that are over only the last few are kept, of those that are pending all', async () => {
  const sessions = opened(10, { maxOver: 2 });
  for (const id of ['vrf_0', 'vrf_1', 'vrf_2', 'vrf_3']) await cancel(sessions, id);
  expect(['vrf_0', 'vrf_1'].map((id) => sessions.seen(id))).toEqual([null, null]);
  expect(['vrf_2', 'vrf_3'].map((id) => sessions.seen(id)?.status)).toEqual(['canceled', 'canceled']);
  expect(sessions.held).toBe(8);
});

test('what happens to one that is pending makes it no older', async () => {
  const sessions = opened(4, { maxOver: 1 });
  for (const id of ['vrf_0', 'vrf_1', 'vrf_2']) {
    await sessions.apply({ accountId: 'acct_1', id }, { kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    await setImmediate();
  }
  expect(['vrf_0', 'vrf_1', 'vrf_2'].map((id) => sessions.seen(id)?.messages[0]?.status)).toEqual(
    Array(3).fill('submitting'),
  );
});

test('one that something happens to after its end counts as the last to end', async () => {
  const sessions = opened(3, { maxOver: 2 });
  for (const id of ['vrf_0', 'vrf_1', 'vrf_0', 'vrf_2']) await cancel(sessions, id);
  expect(sessions.seen('vrf_1')).toBeNull();
  expect(sessions.seen('vrf_0')?.status).toBe('canceled');
});

test('of all together no more than the limit are kept', async () => {
  const sessions = opened(10, { maxHeld: 4 });
  expect(sessions.held).toBe(4);
  expect(sessions.seen('vrf_9')?.status).toBe('pending');
});
