// AccountService: creates accounts, shows and changes the caller's own. A change is read in three steps: which fields it has,
// whether this key may change them, whether their values make sense.

import { create } from '@bufbuild/protobuf';
import { type AutofillValue, originOf, parseAutofill } from '../../../core/verify/autofill.ts';
import { refused } from '../../../core/verify/event.ts';
import { type LegSettings, settleLegs } from '../../../core/verify/legs.ts';
import { autofillProblems, type SendSettings } from '../../../core/verify/request.ts';
import type {
  AccountChange,
  Account as AccountRow,
  Accounts,
  CreatedAccount,
  IssuedKey,
  WordingDecision,
} from '../../../engine/accounts/accounts.ts';
import {
  type Account,
  AccountSchema,
  AccountService,
  type UpdateAccountRequest,
} from '../../../gen/ramz/v1/account_pb.ts';
import { actorOf, isAdministrator, type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { changes } from '../../waist/interceptors/update-mask.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { readPrefixes, readText, toTimestamp } from '../fields.ts';
import { toAskedLeg } from '../verify/send.ts';
import { toApiKey } from './api-keys.ts';
import {
  checkWording,
  readWording,
  toWording,
  toWordingValue,
  type WordingSettings,
  wordingRejected,
} from './wording.ts';

/** One carrier of a channel; `reason`: why its legs are skipped, null where they are taken. */
interface AccountChannel {
  channel: string;
  carrier: string;
  reason: string | null;
}

export interface AccountServiceOptions {
  accounts: Accounts;
  /** Whether the account can use each channel now, in its mode. */
  channels(account: AccountRow): AccountChannel[];
  /** Asked at every call, so that a reload of the configuration holds at once. */
  settings(): Pick<SendSettings, 'verify'> & WordingSettings;
}

export function accountService({ accounts, settings, channels }: AccountServiceOptions): RegisteredService {
  const show = (row: AccountRow) => toAccount(row, settings().verify, channels(row));
  return service(AccountService, {
    async createAccount({ name, language }, context) {
      const request = {
        name: readText(name, 'name'),
        ...(language === '' ? {} : { language }),
        actor: actorOf(context),
      };
      const made = isAdministrator(context) ? accounts.create(request) : registered(accounts.register(request));
      const { id, liveKey, testKey } = await made;
      const account = show(await accounts.get({ accountId: id, mode: 'live' }));
      const shown = ({ apiKey, key }: IssuedKey) => toApiKey(apiKey, key);
      return { account, liveKey: shown(liveKey), testKey: shown(testKey) };
    },

    async getAccount(_, context) {
      return { account: show(await accounts.get(keyOf(context))) };
    },

    async updateAccount(request, context) {
      const caller = keyOf(context);
      const change = readChange(request, caller, settings().verify);
      if (change.wording ?? change.autofill) {
        checkWording(await accounts.get(caller), request, change, settings());
      }
      const updated = await accounts.update({ ...caller, actor: actorOf(context) }, change);
      if (updated.kind === 'updated') return { account: show(updated.account) };
      if (updated.kind === 'wording_rejected') throw wordingRejected(updated.wording, request);
      const message = 'default_sender_id must be a sender name of the account that an operator has approved';
      throw fail('invalid_argument', message, { field: 'default_sender_id' });
    },

    async decideWording({ accountId, wording, status, reason }, context) {
      const { kind, value } = toWordingValue(wording);
      const decided = { status: status as WordingDecision['status'], reason: reason || null };
      const decision = { accountId, kind, value, ...decided, actor: actorOf(context) };
      const account = await accounts.decideWording(decision);
      if (!account) throw fail('wording_not_found', 'the account does not ask for that: look at what it asks for now');
      return { account: show(account) };
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

/** Throws `rate_limited`: the operator of the service, or a month, makes room. */
async function registered(asked: ReturnType<Accounts['register']>): Promise<CreatedAccount> {
  const outcome = await asked;
  if (outcome.kind === 'created') return outcome.created;
  const message = 'too many accounts wait for the operator of this service to approve them';
  throw fail('rate_limited', message, { retryAfterSeconds: 3_600 });
}

/** Undefined while one of the two is missing. */
const secondsBetween = (from: Date | null, to: Date | null): number | undefined =>
  from && to ? (to.getTime() - from.getTime()) / 1000 : undefined;

/** An account without a cascade of its own shows the deployment's, because sends use that one. */
function toAccount(
  row: AccountRow,
  { cascade }: Pick<SendSettings['verify'], 'cascade'>,
  channels: readonly AccountChannel[],
): Account {
  const own = row.cascade?.map(({ channel, timeoutMs }) => ({ channel, timeoutSeconds: timeoutMs / 1000 }));
  return create(AccountSchema, {
    id: row.id,
    name: row.name,
    createdAt: toTimestamp(row.created_at),
    approvedAt: toTimestamp(row.approved_at),
    customWabaConnectedAt: toTimestamp(row.custom_waba_connected_at),
    language: row.language,
    defaultSenderId: row.default_sender_id ?? '',
    cascade: own ?? cascade,
    inCountryOnly: row.in_country_only,
    smsFirstSendAt: toTimestamp(row.sms_first_send_at),
    autofill: toAutofill(row.autofill),
    ...toWording(row.wordings),
    allowedPrefixes: row.allowed_prefixes,
    channels: channels.map(({ reason, ...each }) => ({ ...each, usable: reason === null, reason: reason ?? '' })),
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

/** Throws `live_key_required` or `invalid_argument`. Whether a sender name is approved is left to the caller. */
function readChange(request: UpdateAccountRequest, caller: KeyPrincipal, verify: LegSettings): AccountChange {
  const { name, inCountryOnly, language, defaultSenderId, cascade, allowedPrefixes, autofill } = request;
  const wording = readWording(request);
  // A name and the restriction to the country hold for both modes.
  if (name !== undefined) requireLive(caller, 'name');
  if (inCountryOnly !== undefined) requireLive(caller, 'in_country_only');
  return {
    ...(name === undefined ? {} : { name: readText(name, 'name') }),
    ...(inCountryOnly === undefined ? {} : { inCountryOnly }),
    ...(language === undefined ? {} : { language }),
    ...(defaultSenderId === undefined ? {} : { defaultSenderId: defaultSenderId === '' ? null : defaultSenderId }),
    ...(changes(request, 'cascade') ? { cascade: readCascade(cascade, verify) } : {}),
    ...(changes(request, 'allowed_prefixes')
      ? { allowedPrefixes: readPrefixes(allowedPrefixes, 'allowed_prefixes') }
      : {}),
    ...(autofill === undefined ? {} : { autofill: readAutofill(autofill) }),
    ...(wording === null ? {} : { wording }),
  };
}

function requireLive({ mode }: KeyPrincipal, field: string): void {
  if (mode === 'live') return;
  throw fail('live_key_required', `${field} holds for both modes: change it with a live key`, { field });
}

/** Held against the same rules as the cascade of a send. Null = the deployment's, for which an empty list stands. */
function readCascade(cascade: UpdateAccountRequest['cascade'], verify: LegSettings) {
  if (cascade.length === 0) return null;
  const settled = settleLegs({ channel: null, cascade: cascade.map(toAskedLeg) }, null, verify);
  if (settled.kind === 'refused') throw toError(settled);
  return settled.legs;
}

/** By the same rules as the `autofill` of a send, origins in the form in which they are compared. */
function readAutofill({ webOrigins, androidApps }: NonNullable<UpdateAccountRequest['autofill']>): AutofillValue[] {
  const values: (AutofillValue & { field: string })[] = [];
  for (const [index, webOrigin] of webOrigins.entries()) {
    const field = `autofill.web_origins[${index}]`;
    const parsed = parseAutofill({ webOrigin });
    if (parsed.kind === 'invalid') throw toError(refused('invalid_argument', field, autofillProblems[parsed.reason]));
    if (parsed.kind !== 'web') throw toError(refused('invalid_argument', field, 'is empty'));
    values.push({ value: originOf(parsed.host), packageName: null, field });
  }
  for (const [index, { appHash, packageName }] of androidApps.entries()) {
    values.push({ value: appHash, packageName, field: `autofill.android_apps[${index}].app_hash` });
  }
  const seen = new Set<string>();
  for (const { value, field } of values) {
    if (seen.has(value)) throw toError(refused('invalid_argument', field, 'is given twice'));
    seen.add(value);
  }
  return values.map(({ value, packageName }) => ({ value, packageName }));
}
