// Accounts as the contract shows them.

import { create } from '@bufbuild/protobuf';
import type { AccountWithSettings } from '../../../db/accounts/accounts.ts';
import { type Account, AccountSchema } from '../../../gen/ramz/v1/account_pb.ts';
import { toTimestamp } from '../time.ts';
import type { SendSettings } from '../verify/settings.ts';

/** Where the account has no cascade of its own, the deployment's is shown: it is the one that is used. */
export function toAccount(row: AccountWithSettings, { cascade }: Pick<SendSettings['verify'], 'cascade'>): Account {
  const own = row.cascade?.map(({ channel, timeoutMs }) => ({ channel, timeoutSeconds: timeoutMs / 1000 }));
  return create(AccountSchema, {
    id: row.id,
    name: row.name,
    createdAt: toTimestamp(row.created_at),
    customWabaConnectedAt: toTimestamp(row.custom_waba_connected_at),
    language: row.language,
    defaultSenderId: row.default_sender_id ?? '',
    cascade: own ?? cascade,
    inCountryOnly: row.in_country_only,
    smsFirstSendAt: toTimestamp(row.sms_first_send_at),
    autofill: toAutofill(row.autofill),
  });
}

/** An origin has no package name. */
function toAutofill(registered: AccountWithSettings['autofill']) {
  return {
    webOrigins: registered.flatMap(([value, packageName]) => (packageName === null ? [value] : [])),
    androidApps: registered.flatMap(([appHash, packageName]) =>
      packageName === null ? [] : [{ packageName, appHash }],
    ),
    states: registered.map(([value, , approved]) => ({ value, status: approved ? 'approved' : 'pending' })),
  };
}
