// The wording of an account: its brand and its own SMS texts, by language. Live ones are used once the operator of the service has
// approved them; what could not be sent in one segment, or could pass for a code or a link, is refused before anyone looks at it.

import { isGsm7Basic } from '../../text/gsm7-alphabet.ts';
import { webHost } from '../verify/autofill.ts';
import type { Autofill, Language } from '../verify/session.ts';
import { excess, isNameable, receiptKeyInText, receiptKeyOf, type SmsTextRequest } from '../verify/text.ts';

/** The brand, or the language that a text is for. */
export type WordingKind = 'brand' | Language;

export const wordingLanguages: readonly Language[] = ['ar', 'fr', 'en'];

export type WordingStatus = 'pending' | 'approved' | 'rejected';

/** One wording of an account and mode. */
export interface RegisteredWording {
  kind: WordingKind;
  value: string;
  status: WordingStatus;
  /** What the operator of the service gave as its reason. */
  reason: string | null;
  /** Whether the account asks for it. Another one that was approved before is in use until this one is. */
  wanted: boolean;
}

/** The brand and the texts that are in use. */
export interface WordingInUse {
  readonly brand: string | null;
  readonly texts: ReadonlyMap<Language, string>;
}

/** By kind; null = the deployment's. What is absent stays. */
export type WordingChange = { readonly [Kind in WordingKind]?: string | null };

export function wordingInUse(registered: readonly RegisteredWording[]): WordingInUse {
  // What is wanted stands behind what was in use before it.
  const approved = registered
    .filter(({ status }) => status === 'approved')
    .sort((a, b) => Number(a.wanted) - Number(b.wanted));
  const values = new Map(approved.map(({ kind, value }) => [kind, value]));
  const texts = wordingLanguages.flatMap((language) => {
    const text = values.get(language);
    return text === undefined ? [] : ([[language, text]] as const);
  });
  return { brand: values.get('brand') ?? null, texts: new Map(texts) };
}

/** What an account asks for, whatever became of it. */
export function wantedWording(registered: readonly RegisteredWording[]): WordingInUse {
  return wordingInUse(registered.flatMap((each) => (each.wanted ? [{ ...each, status: 'approved' as const }] : [])));
}

/** The wording after a change. */
export function withChange({ brand, texts }: WordingInUse, change: WordingChange): WordingInUse {
  const next = new Map(texts);
  for (const language of wordingLanguages) {
    const text = change[language];
    if (text === null) next.delete(language);
    else if (text !== undefined) next.set(language, text);
  }
  return { brand: change.brand === undefined ? brand : change.brand, texts: next };
}

/**
 * What sends may say after a change, the outcome of all approvals first. Brand and texts are approved one by one, so what is in use may stand
 * beside what is wanted; what is taken away goes at once. Only what the change has a part in, or `all`.
 */
export function mixesAfter(
  registered: readonly RegisteredWording[],
  change: WordingChange,
  all: boolean,
): WordingInUse[] {
  const inUse = wordingInUse(registered);
  const removals = Object.entries(change).filter(([, value]) => value === null);
  const stays = withChange(inUse, Object.fromEntries(removals));
  const next = withChange(wantedWording(registered), change);
  const brands = [
    { brand: next.brand, changed: change.brand !== undefined },
    { brand: stays.brand, changed: change.brand === null },
  ];
  const texts = [
    { texts: next.texts, changed: wordingLanguages.some((language) => change[language] !== undefined) },
    { texts: stays.texts, changed: stays.texts.size < inUse.texts.size },
  ];
  return brands.flatMap(({ brand, changed }) =>
    texts.flatMap((each) => (all || changed || each.changed ? [{ brand, texts: each.texts }] : [])),
  );
}

/** What is wrong with one brand or text by itself: the end of a sentence that begins with the field's name. Null where nothing is. */
export function wordingProblem(kind: WordingKind, value: string, hosts: readonly string[]): string | null {
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(value)) return 'must not contain line breaks, control characters or direction marks';
  if (kind === 'brand') return brandProblem(value, hosts);
  const codes = value.split('{code}').length - 1;
  if (codes !== 1) return codes === 0 ? 'must contain {code}' : 'must contain {code} only once';
  if (value.split('{brand}').length > 2) return 'must contain {brand} only once';
  const rest = value.replace('{code}', '\n').replace('{brand}', '\n');
  if (/[{}]/.test(rest)) return 'has a brace that belongs to neither {code} nor {brand}';
  if (/[\p{L}\p{Nd}\n]\n|\n[\p{L}\p{Nd}\n]/u.test(rest))
    return 'must have a space or a sign between {code}, {brand} and other words';
  // What stands for them is joined to the signs beside it, as they will be: `{brand}.com` is an address.
  return commonProblem(value.replace('{code}', 'code').replace('{brand}', 'brand'), hosts);
}

function brandProblem(value: string, hosts: readonly string[]): string | null {
  if (value.trim() !== value) return 'must not begin or end with a space';
  return /[{}]/.test(value) ? 'must not contain braces' : commonProblem(value, hosts);
}

function commonProblem(value: string, hosts: readonly string[]): string | null {
  if (!isNameable(value)) return 'must not contain four digits in a row: they could be taken for the code';
  const key = receiptKeyOf(value);
  if (key !== null)
    return `must not contain "${key}": operators write it in receipts, in front of the message's own words`;
  const address = addressIn(value, hosts);
  if (address === null) return null;
  return `contains the address ${address}: only hosts that autofill.web_origins has may be named, without a path`;
}

/** Phones turn these into links. */
const addressPattern =
  /\S*:\/\/\S*|\bwww\.\S+|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[/:]\S*)?|\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}(?:[/:]\S*)?/giu;

/** The first address that is not one of the hosts. */
function addressIn(text: string, hosts: readonly string[]): string | null {
  for (const [address] of text.matchAll(addressPattern)) {
    const host = webHost(address);
    if (host === undefined || address.includes('://') || !hosts.includes(host)) return address;
  }
  return null;
}

/** A text that would not fit into one segment. */
export interface Overflow {
  kind: WordingKind;
  language: Language;
  autofill: Autofill;
  /** Characters too many. */
  by: number;
  /** Characters of the wording outside the GSM alphabet: because of them one segment has 70 characters, not 160. Empty in Arabic texts. */
  costly: string[];
}

export interface Room {
  /** Digits of the longest code. */
  codeLength: number;
  /** The brand of the deployment. */
  defaultBrand: string;
  /** Each site and app that a send of the account may name. */
  autofill: readonly Autofill[];
}

/** The first text of this wording that would not fit, in any language and with any last line; null where all do. */
export function overflow(wording: WordingInUse, { codeLength, defaultBrand, autofill }: Room): Overflow | null {
  for (const { kind, request } of requestsOf(wording, { codeLength, defaultBrand })) {
    const { language, brand, template } = request;
    for (const each of [{}, ...autofill]) {
      const by = excess({ ...request, autofill: each });
      if (by === 0) continue;
      const words = `${template ?? ''}${template === undefined || template.includes('{brand}') ? brand : ''}`;
      return { kind, language, autofill: each, by, costly: costlyIn(language, words) };
    }
  }
  return null;
}

/** What of the wording makes a text with a key of receipts: a brand, and a colon behind it. Null where nothing does. */
export function receiptKeyIn(
  wording: WordingInUse,
  room: Pick<Room, 'codeLength' | 'defaultBrand'>,
): { kind: WordingKind; language: Language; key: string } | null {
  for (const { kind, request } of requestsOf(wording, room)) {
    const key = receiptKeyInText(request);
    if (key !== null) return { kind, language: request.language, key };
  }
  return null;
}

/** The text of each language that has something of the account's own, and what that is. */
function requestsOf({ brand, texts }: WordingInUse, { codeLength, defaultBrand }: Omit<Room, 'autofill'>) {
  const code = '0'.repeat(codeLength);
  const named = { code, brand: brand ?? defaultBrand };
  return wordingLanguages.flatMap((language): { kind: WordingKind; request: SmsTextRequest }[] => {
    const template = texts.get(language);
    if (template !== undefined) return [{ kind: language, request: { ...named, language, template } }];
    return brand === null ? [] : [{ kind: 'brand', request: { ...named, language } }];
  });
}

const costlyIn = (language: Language, words: string): string[] =>
  language === 'ar' ? [] : [...new Set([...words].filter((char) => !isGsm7Basic(char) && !'{}'.includes(char)))];
