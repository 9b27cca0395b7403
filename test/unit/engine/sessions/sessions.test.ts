// What is kept in memory of sessions. How they change and are stored is tested against a real Postgres (test/integration/engine).
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Subscriber } from '../../../../src/core/webhooks/subscriber.ts';
import type { SaveItem } from '../../../../src/db/verify/save.ts';
import type { Loaded } from '../../../../src/db/verify/sessions.ts';
import type { AccountView } from '../../../../src/engine/accounts/views.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Payments } from '../../../../src/engine/limits/payments.ts';
import { Sessions } from '../../../../src/engine/sessions/sessions.ts';
import type { Store } from '../../../../src/engine/sessions/store.ts';
import { Story } from '../../../support/session.ts';
import { until } from '../../../support/wait.ts';

const account = { endpoints: [] as readonly Subscriber[] } as AccountView;

const story = new Story();
const holder = 'process/p';

/** Sessions `vrf_0`… that this process opened, over a store that keeps nothing. */
function opened(count: number, options: { maxOver?: number; maxHeld?: number }): Sessions {
  const store = { save: async () => ({ kind: 'saved', deliveries: [] }), load: async () => null, flush: () => {} };
  const sessions = sessionsOver(store as unknown as Store, options);
  for (let n = 0; n < count; n += 1) sessions.adopt({ ...story.session, id: `vrf_${n}` }, holder);
  return sessions;
}

function sessionsOver(store: Store, options: { maxOver?: number; maxHeld?: number } = {}): Sessions {
  const context = {
    store,
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
  return new Sessions(context as unknown as EngineContext, payments as unknown as Payments, options);
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

/** A store that answers when the test says so, and notes which version each save goes by. */
function slowStore() {
  const loads: ((loaded: Loaded | null) => void)[] = [];
  const saves: (() => void)[] = [];
  const versions: number[] = [];
  const store = {
    load: () => new Promise<Loaded | null>((resolve) => loads.push(resolve)),
    save: ({ session }: SaveItem) => {
      versions.push(session.version);
      return new Promise((resolve) => saves.push(() => resolve({ kind: 'saved', deliveries: [] })));
    },
    flush: () => {},
  };
  return { store: store as unknown as Store, loads, saves, versions };
}

test.each([
  ['finds it', { session: story.session, holder }],
  ['does not find it yet', null],
])(
  'a session that is looked for before its opener hears that it is stored has one line; the first look %s',
  async (_, found) => {
    const { store, loads, saves, versions } = slowStore();
    const sessions = sessionsOver(store);
    const { accountId, id } = story.session;
    const answer = { session: story.session, holder };
    const submitting = { kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' } as const;
    const early = sessions.apply({ accountId, id }, submitting);
    await until(() => loads.length === 1, { what: 'the sweep to look for it' });
    sessions.adopt(story.session, holder);
    const later = sessions.apply({ accountId, id }, { kind: 'cancel', reason: 'canceled_by_client' });
    await setImmediate();
    expect(versions).toEqual([]);
    loads.shift()?.(found);
    for (let change = 1; change <= (found ? 2 : 1); change += 1) {
      await until(() => loads.length + saves.length > 0, { what: 'the line to go on' });
      loads.shift()?.(answer);
      await until(() => saves.length === 1, { what: 'a save' });
      saves.shift()?.();
      await setImmediate();
    }
    expect((await early).kind).toBe(found ? 'applied' : 'not_found');
    expect(await later).toMatchObject({ kind: 'applied', session: { status: 'canceled' } });
    const { version } = story.session;
    expect(versions).toEqual(found ? [version, version + 1] : [version]);
    expect(sessions.held).toBe(1);
  },
);

test('nothing is kept of a session that is not there', async () => {
  const sessions = opened(0, {});
  expect(await sessions.apply({ accountId: 'acct_1', id: 'vrf_1' }, { kind: 'deadline' })).toEqual({
    kind: 'not_found',
  });
  await setImmediate();
  expect(sessions.held).toBe(0);
});
