// From a SendRequest of the wire to the engine's: every field settled, or the first one that can't be. Pure.
// What the contract says of single fields (lengths, patterns, words) was checked at the door; here is what depends on the
// deployment, the account and the number.

import { type AutofillRefusal, maxWebHostLength, parseAutofill, registrable } from '../../../core/verify/autofill.ts';
import type { AskedAgain } from '../../../core/verify/event.ts';
import type { Autofill, Channel, Language, Leg, Mode } from '../../../core/verify/session.ts';
import type { AccountView } from '../../../engine/accounts/views.ts';
import type { SendRequest as EngineSendRequest } from '../../../engine/verify/send.ts';
import type { SendRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { settleDestination } from './destination.ts';
import { settleLegs } from './legs.ts';
import { type Refusal, refused } from './refusal.ts';
import type { SendSettings } from './settings.ts';

export interface SendContext {
  mode: Mode;
  /** The account as the key's mode sees it: sender names and settings of the other mode do not count. */
  account: Pick<AccountView, 'id' | 'language' | 'cascade' | 'approvedSenders' | 'autofill'>;
  settings: SendSettings;
}

export type Settled = { kind: 'ok'; request: Omit<EngineSendRequest, 'idempotency'> } | Refusal;

export function settle(request: SendRequest, { mode, account, settings }: SendContext): Settled {
  const { verify } = settings;
  const destination = settleDestination(request.to, mode, settings);
  if (destination.kind === 'refused') return destination;

  const outside =
    outsideRange('code_length', request.codeLength, verify.codeLength) ??
    outsideRange('ttl_seconds', request.ttlSeconds, verify.ttlSeconds);
  if (outside) return outside;

  const { senderId } = request;
  if (senderId && !account.approvedSenders.get(destination.operator)?.has(senderId)) {
    const problem = `is not approved at ${destination.operator}, the operator of this number`;
    return refused('sender_id_not_approved', 'sender_id', problem, { operator: destination.operator });
  }
  const autofill = settleAutofill(request.autofill, mode, account);
  if (autofill.kind === 'refused') return autofill;

  const channel = (request.channel || null) as Channel | null;
  const legs = settleLegs({ channel, cascade: request.cascade }, account.cascade, verify);
  if (legs.kind === 'refused') return legs;
  const language = settleLanguage(request.language as Language | '', account.language, legs.legs);

  return {
    kind: 'ok',
    request: {
      accountId: account.id,
      mode,
      to: destination.e164,
      purpose: request.purpose,
      language,
      codeLength: request.codeLength ?? verify.codeLength.default,
      ttlMs: (request.ttlSeconds ?? verify.ttlSeconds.default) * 1000,
      senderId: senderId || null,
      clientReference: request.clientReference,
      autofill: autofill.asked,
      cascade: legs.legs,
      channel,
      asked: {
        ...(request.language ? { language } : {}),
        ...(request.codeLength === undefined ? {} : { codeLength: request.codeLength }),
        ...(request.ttlSeconds === undefined ? {} : { ttlMs: request.ttlSeconds * 1000 }),
        ...(senderId ? { senderId } : {}),
        ...(request.cascade.length > 0 ? { cascade: legs.legs } : {}),
        ...(request.clientReference ? { clientReference: request.clientReference } : {}),
        ...autofill.asked,
      } satisfies AskedAgain,
    },
  };
}

function outsideRange(field: string, value: number | undefined, { min, max }: { min: number; max: number }) {
  const fits = value === undefined || (value >= min && value <= max);
  return fits
    ? undefined
    : refused('invalid_argument', field, min === max ? `must be ${min}` : `must be ${min} to ${max}`);
}

export const autofillProblems: Record<AutofillRefusal, string> = {
  not_an_app_hash: 'must be 11 characters of base64',
  not_an_https_origin: 'must be an https origin without port and path, or its host',
  host_too_long: `must have a host of at most ${maxWebHostLength} characters`,
  only_one_of_both: 'can not be given beside android_app_hash: each wants to be the last line',
};

/** In test mode nothing is sent, so any site and any app will do. */
function settleAutofill(
  given: SendRequest['autofill'],
  mode: Mode,
  account: SendContext['account'],
): { kind: 'ok'; asked: Autofill } | Refusal {
  const asked: Autofill = {
    ...(given?.androidAppHash ? { androidAppHash: given.androidAppHash } : {}),
    ...(given?.webOrigin ? { webOrigin: given.webOrigin } : {}),
  };
  const parsed = parseAutofill(asked);
  if (parsed.kind === 'invalid') {
    return refused('invalid_argument', `autofill.${parsed.field}`, autofillProblems[parsed.reason]);
  }
  const wanted = registrable(parsed);
  const status = wanted && account.autofill.get(wanted.value);
  if (!wanted || mode === 'test' || status === 'approved') return { kind: 'ok', asked };
  const problem =
    status === 'pending'
      ? 'waits for the approval of the operator of this deployment'
      : 'is not registered on the account';
  return refused('autofill_not_registered', `autofill.${wanted.field}`, problem);
}

/**
 * English is for text only. Where a call is all there is, the session speaks the account's `ar` or `fr` from the start (`ar`
 * where that is English too); in a longer cascade texts stay English and the voice channel takes the account's language.
 */
function settleLanguage(asked: Language | '', account: Language, legs: readonly Leg[]): Language {
  const language = asked || account;
  if (language !== 'en' || legs.some((leg) => leg.channel !== 'voice')) return language;
  return account === 'en' ? 'ar' : account;
}
