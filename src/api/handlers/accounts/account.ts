// AccountService: creates accounts, shows and changes the caller's own.

import { type AccountWithSettings, findAccount, updateAccount } from '../../../db/accounts/accounts.ts';
import { isApprovedSomewhere } from '../../../db/accounts/senders.ts';
import { createAccount } from '../../../engine/accounts/accounts.ts';
import type { IssuedKey, KeyMaker } from '../../../engine/accounts/keys.ts';
import { AccountService } from '../../../gen/ramz/v1/account_pb.ts';
import { type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { readText } from '../text.ts';
import { toTimestamp } from '../time.ts';
import type { SendSettings } from '../verify/settings.ts';
import { readChange } from './account-settings.ts';
import { toAccount } from './account-to-proto.ts';
import { toApiKey } from './api-key-to-proto.ts';

export interface AccountServiceOptions extends KeyMaker {
  /** Asked at every call, so that a reload of the configuration holds at once. */
  settings(): Pick<SendSettings, 'verify'>;
  /** Called after every change, so that it holds here at once; elsewhere within a second. */
  changed(): void;
}

export function accountService(options: AccountServiceOptions): RegisteredService {
  const { db, prefixes, settings, changed, now } = options;
  const load = async ({ accountId, mode }: Pick<KeyPrincipal, 'accountId' | 'mode'>): Promise<AccountWithSettings> => {
    const row = await findAccount(db, accountId, mode);
    if (!row) throw new Error(`no account ${accountId}, and yet a key of it`);
    return row;
  };
  const show = (row: AccountWithSettings) => toAccount(row, settings().verify);

  return service(AccountService, {
    async createAccount({ name, language }) {
      const request = { name: readText(name, 'name'), ...(language === '' ? {} : { language }) };
      const { id, liveKey, testKey } = await createAccount(options, request);
      const account = show(await load({ accountId: id, mode: 'live' }));
      const shown = ({ row, key }: IssuedKey) => toApiKey(row, prefixes, key);
      return { account, liveKey: shown(liveKey), testKey: shown(testKey) };
    },

    async getAccount(_, context) {
      return { account: show(await load(keyOf(context))) };
    },

    async updateAccount(request, context) {
      const caller = keyOf(context);
      const change = readChange(request, caller, settings().verify);
      if (change.defaultSenderId) await requireApproved(caller, change.defaultSenderId);
      const { accountId: id, mode } = caller;
      const row = await updateAccount(db, { id, mode, now: new Date(now()) }, change);
      changed();
      return { account: show(row) };
    },

    async getMeasures(_, context) {
      const row = await load(keyOf(context));
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

  async function requireApproved(owner: KeyPrincipal, name: string): Promise<void> {
    if (await isApprovedSomewhere(db, owner, name)) return;
    const message = 'default_sender_id must be a sender name of the account that an operator has approved';
    throw fail('invalid_argument', message, { field: 'default_sender_id' });
  }
}

/** Undefined while one of them has not been. */
const secondsBetween = (from: Date | null, to: Date | null): number | undefined =>
  from && to ? (to.getTime() - from.getTime()) / 1000 : undefined;
