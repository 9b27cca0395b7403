// A send as a client asks for it, and settled: number, legs and every field from the client, the account or the platform, or the first
// one that can't be. Lengths, patterns and words of single fields were checked at the door; the rules here depend on the deployment,
// the account and the number.

import type { WordingInUse } from '../accounts/wording.ts';
import { type AskedClient, type ClientSignals, readClient } from '../limits/client.ts';
import type { KeyRestrictions } from '../limits/key-restrictions.ts';
import { internationalForm, type PhoneRefusal, parsePhone, routeByPrefix } from '../phone.ts';
import { type AutofillRefusal, type AutofillStatus, maxWebHostLength, parseAutofill, registrable } from './autofill.ts';
import { type AskedAgain, type Refusal, refused } from './event.ts';
import { type AskedLegs, type LegSettings, settleLegs } from './legs.ts';
import type { OpenRequest } from './open.ts';
import { scenarioOf } from './scenarios.ts';
import type { Autofill, Channel, Language, Leg, Metadata, Mode, Wording } from './session.ts';

/** The request of a client; null = not given. */
export interface AskedSend extends AskedLegs {
  accountId: string;
  /** Of the call, whose own budgets pay for what it sends. Absent = no key's. */
  apiKeyId?: string;
  mode: Mode;
  /** The number as it was typed. */
  to: string;
  purpose: string;
  language: Language | null;
  codeLength: number | null;
  /** The caller's own code, 4-10 digits; null = one is made. Never logged, and stored sealed. */
  code: string | null;
  ttlSeconds: number | null;
  senderId: string | null;
  clientReference: string;
  metadata: Metadata | null;
  autofill: Autofill;
  /** The end user, as the caller describes it. */
  client?: AskedClient;
  /** Of the key that sends. Default: none. */
  restrictions?: KeyRestrictions;
  /** The call comes from an address that those do not allow. */
  elsewhere?: true;
}

/** A send whose every field is settled. */
export interface SettledSend extends Omit<OpenRequest, 'id' | 'keyId' | 'salt' | 'sealedCode' | 'findings'> {
  /** Of the call, as in `AskedSend`. */
  apiKeyId?: string;
  /** The caller's own code; null = one is made. */
  code: string | null;
  /** The channel the client named, or null: decides where a resend starts. */
  channel: Channel | null;
  /** The client's explicit choices: a resend may not contradict them. */
  asked: AskedAgain;
  /** What the send is counted by, beside its account and number. Never stored. */
  client?: ClientSignals;
  /** Of the key that sends. */
  restrictions?: KeyRestrictions;
  /** As in `AskedSend`. */
  elsewhere?: true;
}

/** The account as the key's mode sees it: sender names and settings of the other mode do not count. */
export interface SendingAccount {
  readonly language: Language;
  /** null = the platform's cascade. */
  readonly cascade: Leg[] | null;
  /** Approved names by operator. */
  readonly approvedSenders: ReadonlyMap<string, ReadonlySet<string>>;
  /** State of each origin and app hash that is registered. */
  readonly autofill: ReadonlyMap<string, AutofillStatus>;
  readonly wording: WordingInUse;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The part of the configuration that a send is held against. */
export interface SendSettings extends DestinationSettings {
  readonly verify: LegSettings & {
    readonly codeLength: Range & { readonly default: number };
    readonly allowCustomCode: boolean;
    readonly ttlSeconds: Range & { readonly default: number };
  };
}

export type Settled = { kind: 'ok'; request: SettledSend } | Refusal;

export function settle(asked: AskedSend, account: SendingAccount, settings: SendSettings): Settled {
  const { verify } = settings;
  const { mode, senderId, channel, code, codeLength, ttlSeconds } = asked;
  const destination = settleDestination(asked.to, mode, settings);
  if (destination.kind === 'refused') return destination;

  const outside =
    settleCode(asked, verify) ??
    outsideRange('code_length', code === null ? codeLength : null, verify.codeLength) ??
    outsideRange('ttl_seconds', ttlSeconds, verify.ttlSeconds);
  if (outside) return outside;

  const sender = settleSender(senderId, destination.operator, account);
  if (sender) return sender;
  const autofill = settleAutofill(asked.autofill, mode, account);
  if (autofill) return autofill;
  const client = asked.client && readClient(asked.client);
  if (client?.kind === 'refused') return client;

  const legs = settleLegs(asked, account.cascade, verify);
  if (legs.kind === 'refused') return legs;
  const language = settleLanguage(asked.language, account.language, legs.legs);

  return {
    kind: 'ok',
    request: {
      accountId: asked.accountId,
      ...(asked.apiKeyId === undefined ? {} : { apiKeyId: asked.apiKeyId }),
      mode,
      to: destination.e164,
      purpose: asked.purpose,
      language,
      code,
      codeLength: code?.length ?? codeLength ?? verify.codeLength.default,
      ttlMs: (ttlSeconds ?? verify.ttlSeconds.default) * 1000,
      senderId,
      clientReference: asked.clientReference,
      metadata: asked.metadata,
      autofill: asked.autofill,
      wording: settleWording(account.wording, language),
      cascade: legs.legs,
      channel,
      asked: saidOf(asked, legs.legs, account.language),
      ...(client ? { client: client.client } : {}),
      ...(asked.restrictions ? { restrictions: asked.restrictions } : {}),
      ...(asked.elsewhere ? { elsewhere: true } : {}),
    },
  };
}

/** The caller decides how long its own code is. */
function settleCode({ code, codeLength }: AskedSend, { allowCustomCode }: SendSettings['verify']): Refusal | undefined {
  if (code === null) return undefined;
  if (!allowCustomCode)
    return refused('custom_code_not_allowed', 'code', 'is not taken by this deployment: leave it out');
  if (codeLength === null || codeLength === code.length) return undefined;
  return refused('invalid_argument', 'code_length', 'must be the number of digits of code, or left out');
}

/** `operator`: null where calls alone reach the number. */
function settleSender(senderId: string | null, operator: string | null, account: SendingAccount): Refusal | null {
  if (senderId === null) return null;
  if (operator === null)
    return refused('sender_id_not_approved', 'sender_id', 'can not be shown: no SMS goes to this number');
  if (account.approvedSenders.get(operator)?.has(senderId)) return null;
  const problem = `is not approved at ${operator}, the operator of this number`;
  return refused('sender_id_not_approved', 'sender_id', problem, { operator });
}

/** The client's own choices. Which language is meant depends on the session that a resend finds: it may be one of calls alone. */
function saidOf(asked: AskedSend, cascade: Leg[], ofAccount: Language): AskedAgain {
  const { language, codeLength, ttlSeconds, senderId, clientReference, metadata } = asked;
  const spoken = language === null ? null : settleLanguage(language, ofAccount, []);
  return {
    ...(language === null ? {} : { language }),
    ...(spoken === null || spoken === language ? {} : { spoken }),
    ...(codeLength === null ? {} : { codeLength }),
    ...(ttlSeconds === null ? {} : { ttlMs: ttlSeconds * 1000 }),
    ...(senderId === null ? {} : { senderId }),
    ...(asked.cascade.length > 0 ? { cascade } : {}),
    ...(clientReference ? { clientReference } : {}),
    ...(metadata === null ? {} : { metadata }),
    ...asked.autofill,
  };
}

function outsideRange(field: string, value: number | null, { min, max }: Range): Refusal | undefined {
  const fits = value === null || (value >= min && value <= max);
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
function settleAutofill(asked: Autofill, mode: Mode, account: SendingAccount): Refusal | null {
  const parsed = parseAutofill(asked);
  if (parsed.kind === 'invalid') {
    return refused('invalid_argument', `autofill.${parsed.field}`, autofillProblems[parsed.reason]);
  }
  const wanted = registrable(parsed);
  const status = wanted && account.autofill.get(wanted.value);
  if (!wanted || mode === 'test' || status === 'approved') return null;
  const problem =
    status === 'pending'
      ? 'waits for the approval of the operator of this deployment'
      : 'is not registered on the account';
  return refused('autofill_not_registered', `autofill.${wanted.field}`, problem);
}

function settleWording({ brand, texts }: WordingInUse, language: Language): Wording | null {
  const text = texts.get(language);
  if (brand === null && text === undefined) return null;
  return { ...(brand === null ? {} : { brand }), ...(text === undefined ? {} : { text }) };
}

/**
 * English is for text only. Where calls are all there is, the session speaks the account's `ar` or `fr` from the start (`ar`
 * where that is English too); in a longer cascade texts stay English and the voice channel takes the account's language.
 */
function settleLanguage(asked: Language | null, account: Language, legs: readonly Leg[]): Language {
  const language = asked ?? account;
  if (language !== 'en' || legs.some((leg) => leg.channel !== 'voice')) return language;
  return account === 'en' ? 'ar' : account;
}

/** A deployment's settings for the numbers it sends to. */
export interface DestinationSettings {
  readonly sandbox: boolean;
  readonly scenarioPrefix: string | null;
  readonly service: { readonly homeCountry: string | null };
  readonly operators: readonly { readonly id: string; readonly prefixes: readonly string[] }[];
  /** null = no calls. */
  readonly voice: { readonly trunks: readonly { readonly prefixes: readonly string[] }[] } | null;
}

const problems: Record<PhoneRefusal, string> = {
  not_international: 'must be in international format: plus sign, country code, subscriber number',
  malformed: 'must be a plus sign and digits',
  unknown_country: 'has no country code that is in use',
  too_short: 'is too short for its country',
  too_long: 'is too long for its country',
  unassigned: 'is in a range that is not assigned',
  not_mobile: 'is not a mobile number',
};

/** The number in E.164. The refusal's metadata says why, in one word. `homeCountry`: whose national numbers are explained. */
export function readNumber(to: string, homeCountry: string | null = null): { kind: 'ok'; e164: string } | Refusal {
  const parsed = parsePhone(to);
  if (parsed.kind === 'ok') return { kind: 'ok', e164: parsed.e164 };
  const { reason } = parsed;
  const meant = reason === 'not_international' && homeCountry ? internationalForm(to, homeCountry) : null;
  return refused('invalid_phone_number', 'to', `${problems[reason]}${meant ? `, e.g. ${meant}` : ''}`, { reason });
}

/**
 * Whether a code may go there at all, and through which operator. Only the ranges of the configured operators and trunks are open, in
 * both modes and on every channel: a test key meets what a live one would meet.
 */
function settleDestination(
  to: string,
  mode: Mode,
  { operators, voice, sandbox, scenarioPrefix, service }: DestinationSettings,
): { kind: 'ok'; e164: string; operator: string | null } | Refusal {
  const number = readNumber(to, service.homeCountry);
  if (number.kind === 'refused') return number;
  const { e164 } = number;
  if (mode === 'live' && !sandbox && scenarioPrefix !== null && scenarioOf(e164, scenarioPrefix)) {
    return refused('scenario_number', 'to', 'is a scenario number: use it with a test key');
  }
  const operator = routeByPrefix(e164, operators);
  if (!operator && !routeByPrefix(e164, voice?.trunks ?? [])) {
    return refused('unsupported_destination', 'to', 'is served by no operator of this deployment');
  }
  return { kind: 'ok', e164, operator: operator?.id ?? null };
}
