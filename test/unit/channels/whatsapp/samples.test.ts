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
const ended = (wabaId: string, time: number) => [{ kind: 'uninstalled', wabaId, reportedAt: time * 1000 }];

describe('account_update', () => {
  it('has seventeen samples', () => expect(Object.keys(accountUpdates)).toHaveLength(17));

  it.each([
    'account_deleted',
    'account_restriction',
    'account_violation',
    'ad_account_linked',
    'authentication_international_eligibility',
    'account_disabled',
    'mm_api_for_wa_terms_of_service',
    'partner_added',
    'partner_app_installed',
    'partner_led_business_verification_status',
    'primary_business_location_set',
    'pricing_tiering_update',
    'account_offboarded',
    'account_reconnected',
  ] as const)('%s is passed over', (name) => {
    expect(read(accountUpdates[name])).toMatchObject(nothing);
  });

  it.each([
    ['partner_app_uninstalled', '184943124712545'],
    ['partner_removed', sharedWaba],
    ['partner_removed_wa_app_disconnection', sharedWaba],
  ] as const)('%s ends the link', (name, wabaId) => {
    expect(read(accountUpdates[name]).accounts).toEqual(ended(wabaId, 1748477359));
  });

  it('a ban is passed over', () => {
    expect(read(disabled('DISABLE'))).toMatchObject(nothing);
    expect(entryWaba).toBeTruthy();
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
  expect(read(templateCallback).accounts).toEqual([{ kind: 'templates', wabaId: entryWaba }]);
});
