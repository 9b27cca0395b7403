// An account's brand and SMS texts, to and from the contract. What is asked for is checked here as a whole, together with what the
// account has already: a brand must fit into each text, and each text in front of each line for autofill.

import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  mixesAfter,
  type Overflow,
  overflow,
  type RegisteredWording,
  receiptKeyIn,
  type WordingChange,
  type WordingInUse,
  type WordingKind,
  wantedWording,
  withChange,
  wordingInUse,
  wordingLanguages,
  wordingProblem,
} from '../../../core/accounts/wording.ts';
import type { AutofillValue } from '../../../core/verify/autofill.ts';
import { refused } from '../../../core/verify/event.ts';
import type { Autofill, Language } from '../../../core/verify/session.ts';
import type { Account } from '../../../engine/accounts/accounts.ts';
import type { AccountSchema, DecideWordingRequest, UpdateAccountRequest } from '../../../gen/ramz/v1/account_pb.ts';
import { fail, toError } from '../../waist/errors.ts';
import { changes } from '../../waist/interceptors/update-mask.ts';

/** The deployment's part in the length of a text. */
export interface WordingSettings {
  readonly service: { readonly brand: string };
  readonly verify: { readonly codeLength: { readonly max: number } };
}

/** What a request changes of the wording; null where it changes nothing that a text's length depends on. */
export function readWording(
  request: Pick<UpdateAccountRequest, 'brand' | 'texts' | 'updateMask'>,
): WordingChange | null {
  const { brand, texts } = request;
  if (brand === undefined && !changes(request, 'texts')) return null;
  const change: Partial<Record<WordingKind, string | null>> = brand === undefined ? {} : { brand: brand || null };
  if (!changes(request, 'texts')) return change;
  for (const language of wordingLanguages) change[language] = null;
  for (const [index, { language, text }] of texts.entries()) {
    if (change[language as Language] !== null) {
      const field = `texts[${index}].language`;
      throw fail('invalid_argument', `${field} is given twice`, { field });
    }
    change[language as Language] = text;
  }
  return change;
}

/** Throws `invalid_argument` where the account's texts would not be what they have to be after the change. */
export function checkWording(
  account: Pick<Account, 'mode' | 'approves_autofill' | 'wordings' | 'autofill'>,
  request: Pick<UpdateAccountRequest, 'texts'>,
  { wording = {}, autofill }: { wording?: WordingChange; autofill?: readonly AutofillValue[] },
  { service, verify }: WordingSettings,
): void {
  const registered = autofill ?? account.autofill.map(([value, packageName]) => ({ value, packageName }));
  const lines = registered.map(toLine);
  const hosts = lines.flatMap(({ webOrigin }) => (webOrigin === undefined ? [] : [webOrigin.replace('https://', '')]));
  const next = withChange(wantedWording(account.wordings), wording);
  const fieldOf = (kind: WordingKind, { brand, texts }: WordingInUse = next) => {
    const text = kind === 'brand' ? undefined : texts.get(kind);
    const index = request.texts.findIndex((each) => each.language === kind && each.text === text);
    if (index >= 0) return `texts[${index}].text`;
    if (wording.brand !== undefined && wording.brand === brand) return 'brand';
    // A text that is taken away leaves the usual one in its place.
    return autofill === undefined ? 'texts' : 'autofill';
  };
  for (const [kind, value] of Object.entries(wording) as [WordingKind, string | null][]) {
    const problem = value === null ? null : wordingProblem(kind, value, hosts);
    if (problem !== null) throw toError(refused('invalid_argument', fieldOf(kind), problem));
  }
  const room = { codeLength: verify.codeLength.max, defaultBrand: service.brand, autofill: lines };
  const atOnce = account.mode === 'test' || account.approves_autofill;
  for (const mix of atOnce ? [next] : mixesAfter(account.wordings, wording, autofill !== undefined)) {
    const found = overflow(mix, room);
    if (found) throw toError(refused('invalid_argument', fieldOf(found.kind, mix), sayOverflow(found, mix, next)));
  }
  // Such a text is not sent, whatever was approved first: the account learns of it while it can choose other words.
  for (const mix of [next, withChange(wordingInUse(account.wordings), wording)]) {
    const said = receiptKeyIn(mix, room);
    if (said) throw toError(refused('invalid_argument', fieldOf(said.kind, mix), sayKey(said)));
  }
}

const toLine = ({ value, packageName }: AutofillValue): Autofill =>
  packageName === null ? { webOrigin: value } : { androidAppHash: value };

/** The end of a sentence that begins with the field's name. `next` is what the account asks for, and `mix` what may be in use before it is. */
function sayOverflow({ language, autofill, by, costly }: Overflow, mix: WordingInUse, next: WordingInUse): string {
  const line = autofill.webOrigin ?? autofill.androidAppHash;
  const beside = line === undefined ? '' : `, in front of the autofill line of ${line}`;
  const why =
    costly.length === 0 ? '' : `: ${costly.join(' ')} is outside the GSM alphabet, so one SMS has 70 characters`;
  const waits = mix.brand !== next.brand ? 'brand' : mix.texts.get(language) !== next.texts.get(language) ? 'text' : '';
  const until = waits === '' ? '' : ` until the new ${waits} is approved`;
  const characters = by === 1 ? '1 character' : `${by} characters`;
  return `leaves no room in one SMS: with the longest code the text in ${language} is ${characters} too long${beside}${until}${why}`;
}

/** The end of a sentence as above. */
const sayKey = ({ language, key }: NonNullable<ReturnType<typeof receiptKeyIn>>): string =>
  `leads to "${key}" in the text in ${language}: operators write it in receipts, in front of the message's own words`;

/** The error for wording that the operator of the service has rejected before. */
export function wordingRejected(kind: WordingKind, { texts }: Pick<UpdateAccountRequest, 'texts'>) {
  const what = 'was rejected by the operator of this deployment: choose another one';
  if (kind === 'brand') return fail('brand_not_approved', `brand ${what}`, { field: 'brand' });
  const field = `texts[${texts.findIndex(({ language }) => language === kind)}].text`;
  return fail('text_not_approved', `${field} ${what}`, { field });
}

type WordingFields = Pick<
  MessageInitShape<typeof AccountSchema>,
  'brand' | 'brandStatus' | 'brandReason' | 'brandInUse' | 'texts'
>;

export function toWording(registered: readonly RegisteredWording[]): WordingFields {
  const inUse = wordingInUse(registered);
  const wanted = (kind: WordingKind) => registered.find((each) => each.wanted && each.kind === kind);
  const brand = wanted('brand');
  return {
    brand: brand?.value ?? '',
    brandStatus: brand?.status ?? '',
    brandReason: brand?.reason ?? '',
    brandInUse: inUse.brand ?? '',
    texts: wordingLanguages.flatMap((language) => {
      const text = wanted(language);
      if (!text) return [];
      const { value, status, reason } = text;
      return [{ language, text: value, status, reason: reason ?? '', textInUse: inUse.texts.get(language) ?? '' }];
    }),
  };
}

/** What a decision is about. The contract requires one of the two; no account has an empty brand. */
export function toWordingValue(wording: DecideWordingRequest['wording']): { kind: WordingKind; value: string } {
  if (wording.case !== 'text') return { kind: 'brand', value: wording.value ?? '' };
  const { language, text } = wording.value;
  return { kind: language as Language, value: text };
}
