// The name that an SMS goes out under, as its leg is planned: the one the client chose, the account's own, or the deployment's.
import { expect, test } from 'vitest';
import type { PlanAccount, PlanRequest } from '../../../../src/channels/channel.ts';
import { SmsChannel } from '../../../../src/channels/sms/sms.ts';
import type { OperatorConfig } from '../../../../src/config.ts';
import { operatorConfig } from '../../../peers/support/channel.ts';

const binds = [{ host: '127.0.0.1', port: 2775, system_id: 'ramz', password: 'secret08' }];
const alpha = operatorConfig({ id: 'alpha', binds });
const beta = operatorConfig({ id: 'beta', binds, prefixes: ['+21366'], default_sender_id: 'BetaCodes' });

const nothing = async () => {};

/** It has no bind, which it takes for a moment's absence while its clock stands still. */
const channelOf = (...operators: OperatorConfig[]) =>
  new SmsChannel({
    operators,
    service: () => ({ brand: 'Ramz', defaultSenderId: 'Ramz' }),
    intake: { take: nothing, takeUnreadable: nothing, takeLateAnswer: nothing, takeAnswered: nothing },
    now: () => 0,
    observer: () => ({}),
    onReport: () => {},
    onError: () => {},
  });

const approvedAt = (...operators: string[]): PlanAccount['approvedSenders'] =>
  new Map(operators.map((operator) => [operator, new Set(['MyShop'])]));

function planOf(
  change: Partial<PlanRequest> & Partial<Pick<PlanAccount, 'defaultSenderId' | 'approvedSenders'>>,
  channel = channelOf(alpha, beta),
) {
  const { defaultSenderId = null, approvedSenders = approvedAt('alpha'), ...asked } = change;
  const account = { id: 'acct_1', inCountryOnly: false, defaultSenderId, approvedSenders };
  return channel.plan({
    ...{ mode: 'live', channel: 'sms', to: '+213551234567', senderId: null, language: 'fr', account },
    ...asked,
  });
}

const under = (senderId: string) => ({ kind: 'usable', senderId });
const notApproved = (operator: string) => ({ kind: 'skip', reason: 'sender_id_not_approved', operator });

test('the name that the client chose, while it is approved at the number’s operator', () => {
  expect(planOf({ senderId: 'MyShop' })).toMatchObject(under('MyShop'));
});

test('a chosen name that was revoked, or rejected after all, skips the leg', () => {
  expect(planOf({ senderId: 'MyShop', approvedSenders: approvedAt() })).toEqual(notApproved('alpha'));
  expect(planOf({ senderId: 'Other' })).toEqual(notApproved('alpha'));
});

test('a chosen name skips the leg where another operator serves the number since then', () => {
  const moved = channelOf({ ...alpha, prefixes: ['+21377'] }, { ...beta, prefixes: ['+21355', '+21366'] });
  expect(planOf({ senderId: 'MyShop' }, moved)).toEqual(notApproved('beta'));
  expect(planOf({ senderId: 'MyShop', approvedSenders: approvedAt('beta') }, moved)).toMatchObject(under('MyShop'));
});

test('an operator that is switched off is the reason, whatever the name', () => {
  const off = channelOf({ ...alpha, enabled: false });
  expect(planOf({ senderId: 'Other' }, off)).toMatchObject({ kind: 'skip', reason: 'operator_maintenance' });
});

test('without a choice the account’s own name where it is approved, else the operator’s default, else the deployment’s', () => {
  expect(planOf({ defaultSenderId: 'MyShop' })).toMatchObject(under('MyShop'));
  expect(planOf({ defaultSenderId: 'MyShop', approvedSenders: approvedAt() })).toMatchObject(under('Ramz'));
  expect(planOf({ defaultSenderId: 'MyShop', to: '+213661234567' })).toMatchObject(under('BetaCodes'));
  expect(planOf({})).toMatchObject(under('Ramz'));
});
