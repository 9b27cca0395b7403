// The platform's own sample callbacks, and what is read from each.
import { describe, expect, it } from 'vitest';
import { readCallback } from '../../../../src/channels/whatsapp/callbacks.ts';
import { readStatus } from '../../../../src/channels/whatsapp/status.ts';
import { accountUpdates, disabled, entryWaba, sharedWaba } from '../../../support/platform/account-updates.ts';
import {
  errorsCallback,
  sampleNumber,
  sampleWamid,
  statusCallbacks,
  templateCallback,
} from '../../../support/platform/statuses.ts';

const read = (sample: object) => {
  const callback = readCallback(JSON.stringify(sample));
  if (callback.kind !== 'callback') throw new Error(callback.reason);
  return callback;
};
const nothing = { changes: [], accounts: [], otherFields: 1 };
const reportedAt = 1743451903000;
const ofEntry = { wabaId: entryWaba, reportedAt };

describe('account_update', () => {
  it('has seventeen samples', () => expect(Object.keys(accountUpdates)).toHaveLength(17));

  it.each([
    'ad_account_linked',
    'authentication_international_eligibility',
    'mm_api_for_wa_terms_of_service',
    'partner_added',
    'partner_app_installed',
    'partner_led_business_verification_status',
    'primary_business_location_set',
    'pricing_tiering_update',
  ] as const)('%s is passed over', (name) => {
    expect(read(accountUpdates[name])).toMatchObject(nothing);
  });

  it.each([
    ['partner_app_uninstalled', '184943124712545', '869361281603019'],
    ['partner_removed', sharedWaba, null],
    ['partner_removed_wa_app_disconnection', sharedWaba, null],
  ] as const)('%s ends the link', (name, wabaId, appId) => {
    const ended = { kind: 'ended', wabaId, reportedAt: 1748477359000, reason: 'uninstalled', appId };
    expect(read(accountUpdates[name]).accounts).toEqual([ended]);
  });

  it.each([
    ['account_deleted', { kind: 'ended', ...ofEntry, reason: 'account_deleted', appId: null }],
    ['account_offboarded', { kind: 'suspended', ...ofEntry, reason: 'account_offboarded', until: null }],
    [
      'account_restriction',
      {
        ...{ kind: 'suspended', wabaId: entryWaba, reportedAt: 1641330498000, reason: 'account_restricted' },
        until: 1641330498000,
      },
    ],
    ['account_violation', { kind: 'warned', wabaId: entryWaba, event: 'ACCOUNT_VIOLATION', detail: 'ADULT' }],
    ['account_disabled', { kind: 'changed', wabaId: entryWaba }],
    ['account_reconnected', { kind: 'changed', wabaId: entryWaba }],
  ] as const)('%s is taken in', (name, change) => {
    expect(read(accountUpdates[name]).accounts).toEqual([change]);
  });

  it('a ban suspends, its announcement warns, its end is looked up', () => {
    const of = (state: Parameters<typeof disabled>[0]) => read(disabled(state)).accounts;
    expect(of('DISABLE')).toEqual([{ kind: 'suspended', ...ofEntry, reason: 'account_disabled', until: null }]);
    expect(of('SCHEDULE_FOR_DISABLE')).toMatchObject([{ kind: 'warned', detail: 'SCHEDULE_FOR_DISABLE' }]);
    expect(of('REINSTATE')).toEqual([{ kind: 'changed', wabaId: entryWaba }]);
  });
});

it.each([
  ['sent', 'ACCEPTD', null],
  ['delivered', 'DELIVRD', null],
  ['read', 'DELIVRD', null],
  ['delivered_in_conversation', 'DELIVRD', null],
  ['delivered_by_user_id', 'DELIVRD', null],
  ['failed', 'UNDELIV', '130472'],
  ['failed_locked', 'REJECTD', '131031'],
] as const)('the status %s is the receipt %s', (name, status, errorCode) => {
  const { changes } = read(statusCallbacks[name]);
  expect(changes).toEqual([
    { phoneNumberId: sampleNumber, statuses: [expect.anything()], inboundMessages: 0, errorCodes: [] },
  ]);
  const context = { route: 'whatsapp/1', tariff: null, now: 1750263774000 };
  expect(readStatus(changes[0]?.statuses[0], context)).toMatchObject({
    kind: 'receipt',
    carrier: { references: [sampleWamid], receipt: { status, errorCode, operatorTimestamp: 1750263773000 } },
  });
});

it('the status played has no use here', () => {
  const [change] = read(statusCallbacks.played).changes;
  expect(readStatus(change?.statuses[0], { route: 'whatsapp/1', tariff: null, now: 0 })).toEqual({ kind: 'other' });
});

it('errors without a message are those of the number', () => {
  expect(read(errorsCallback).changes).toEqual([
    { phoneNumberId: sampleNumber, statuses: [], inboundMessages: 0, errorCodes: [131031] },
  ]);
});

it('a template’s review is looked up', () => {
  expect(read(templateCallback).accounts).toEqual([{ kind: 'changed', wabaId: entryWaba }]);
});
