// AccountService: creates accounts, shows and changes the caller's own.

import { create } from '@bufbuild/protobuf';
import type { SendSettings } from '../../../core/verify/request.ts';
import type { Account as AccountRow, Accounts, IssuedKey } from '../../../engine/accounts/accounts.ts';
import { type Account, AccountSchema, AccountService } from '../../../gen/ramz/v1/account_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { readText, toTimestamp } from '../text.ts';
import { readChange } from './account-settings.ts';
import { toApiKey } from './api-keys.ts';

export interface AccountServiceOptions {
  accounts: Accounts;
  /** Asked at every call, so that a reload of the configuration holds at once. */
  settings(): Pick<SendSettings, 'verify'>;
}

export function accountService({ accounts, settings }: AccountServiceOptions): RegisteredService {
  const show = (row: AccountRow) => toAccount(row, settings().verify);
  return service(AccountService, {
    async createAccount({ name, language }) {
      const request = { name: readText(name, 'name'), ...(language === '' ? {} : { language }) };
      const { id, liveKey, testKey } = await accounts.create(request);
      const account = show(await accounts.get({ accountId: id, mode: 'live' }));
      const shown = ({ apiKey, key }: IssuedKey) => toApiKey(apiKey, key);
      return { account, liveKey: shown(liveKey), testKey: shown(testKey) };
    },

    async getAccount(_, context) {
      return { account: show(await accounts.get(keyOf(context))) };
    },

    async updateAccount(request, context) {
      const caller = keyOf(context);
      const updated = await accounts.update(caller, readChange(request, caller, settings().verify));
      if (updated.kind === 'updated') return { account: show(updated.account) };
      const message = 'default_sender_id must be a sender name of the account that an operator has approved';
      throw fail('invalid_argument', message, { field: 'default_sender_id' });
    },

    async getMeasures(_, context) {
      const row = await accounts.get(keyOf(context));
      const { created_at, sms_first_send_at, custom_waba_connected_at, app_first_send_at } = row;
      const sms = secondsBetween(created_at, sms_first_send_at);
      const app = secondsBetween(custom_waba_connected_at, app_first_send_at);
      return {
        accountCreatedAt: toTimestamp(created_at),
        smsFirstSendAt: toTimestamp(sms_first_send_at),
        customWabaConnectedAt: toTimestamp(custom_waba_connected_at),
        messagingAppFirstSendAt: toTimestamp(app_first_send_at),
        ...(sms === undefined ? {} : { smsTimeToMarketSeconds: sms }),
        ...(app === undefined ? {} : { messagingAppTimeToMarketSeconds: app }),
      };
    },
  });
}

/** Undefined while one of the two is missing. */
const secondsBetween = (from: Date | null, to: Date | null): number | undefined =>
  from && to ? (to.getTime() - from.getTime()) / 1000 : undefined;

/** Where the account has no cascade of its own, the deployment's is shown: it is the one that is used. */
function toAccount(row: AccountRow, { cascade }: Pick<SendSettings['verify'], 'cascade'>): Account {
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
function toAutofill(registered: AccountRow['autofill']) {
  return {
    webOrigins: registered.flatMap(([value, packageName]) => (packageName === null ? [value] : [])),
    androidApps: registered.flatMap(([appHash, packageName]) =>
      packageName === null ? [] : [{ packageName, appHash }],
    ),
    states: registered.map(([value, , approved]) => ({ value, status: approved ? 'approved' : 'pending' })),
  };
}
