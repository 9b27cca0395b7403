// Messages that a budget can't pay for: the change is made without them, whatever else their leg is passed over for by now.
import { expect, test } from 'vitest';
import type { Event } from '../../../../src/core/verify/event.ts';
import { open } from '../../../../src/core/verify/open.ts';
import type { AccountView } from '../../../../src/engine/accounts/views.ts';
import type { Bill, Budgets } from '../../../../src/engine/limits/budgets.ts';
import { Payments } from '../../../../src/engine/limits/payments.ts';
import { advanceAll } from '../../../../src/engine/sessions/session-line.ts';
import { plainAccount } from '../../../support/account.ts';
import { receiptOf, request, Story } from '../../../support/session.ts';

const answers = { sent: () => null, checked: () => null };

test('of several legs that can not be paid for, the one that can be paid for first says when', async () => {
  const waitMs: Record<string, number> = { sms: 3_000, whatsapp: 1_000, voice: 2_000 };
  const reserve = async ({ price }: Bill) => {
    const channel = price?.currency ?? '';
    return {
      kind: 'exhausted',
      finding: { rule: 'budget', reason: `spend ${channel}`, retryAfterMs: waitMs[channel] },
    };
  };
  const budgets = { reserve, giveBack: () => {} } as unknown as Budgets;
  const context = {
    now: () => 0,
    settings: { ruleModes: { budget: 'enforce' }, budget: {} },
    channels: { expectedCost: (_: unknown, { channel }: { channel: string }) => ({ amount: '1', currency: channel }) },
  } as unknown as ConstructorParameters<typeof Payments>[0];
  const account = { ...plainAccount, id: 'acct_1' } as AccountView;
  const world = new Story().world();
  const paid = await new Payments(context, budgets).paidFor({ before: null, account, keys: [] }, (within) =>
    open(request, within(world)),
  );
  expect(paid.made).toMatchObject({ kind: 'no_route' });
  expect(paid.finding).toEqual({ rule: 'budget', reason: 'spend whatsapp', retryAfterMs: 1_000 });
});

test('a code that is to go out once more by another sender, from an account without a budget whose channel is down by now', async () => {
  const story = new Story();
  story.deadlineAt(15_000);
  story.accept();
  story.skip = { whatsapp: 'channel_down', voice: 'channel_down' };
  const elsewhere = { route: 'whatsapp/platform', senderId: 'RAMZ' };
  const receipt = { ...receiptOf('REJECTD', story.clock), elsewhere };
  const event: Event = { kind: 'receipt', messageId: 'msg_2', receipt, receiptId: 'rcp_1' };
  const finding = { rule: 'budget', reason: 'spend_per_hour' } as const;
  const budgets = { reserve: async () => ({ kind: 'exhausted', finding }), giveBack: () => {} } as unknown as Budgets;
  const context = {
    now: () => story.clock,
    settings: { ruleModes: { budget: 'enforce' }, budget: {} },
    channels: { expectedCost: () => null },
  } as unknown as ConstructorParameters<typeof Payments>[0];
  const account = { ...plainAccount, id: 'acct_1' } as AccountView;
  const job = { event, options: {}, resolve: () => {}, reject: () => {} };
  const paid = await new Payments(context, budgets).paidFor({ before: story.session, account, keys: [] }, (within) =>
    advanceAll(story.session, [job], { world: within(story.world()), held: true, answers }),
  );
  expect(paid.finding).toEqual(finding);
  expect(paid.made.outcomes[0]?.outcome).toEqual({ kind: 'done' });
  expect(paid.made.next.messages.map(({ channel, status }) => `${channel} ${status}`)).toEqual([
    'sms withdrawn',
    'whatsapp rejected',
  ]);
  expect(paid.made.next.delivery).toBe('exhausted');
});
