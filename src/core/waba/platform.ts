// The calls of a link's steps (link.ts) in the domain's words, which the channel's folder implements.

import type { WabaHealth, WabaOutcome, WabaTemplates } from './link.ts';

/** The account being linked, as the calls name it. */
export interface WabaAccess {
  token: string;
  wabaId: string;
  phoneNumberId: string;
}

/** An outcome that brings something along. */
export type Answered<T> =
  | ({ kind: 'done' } & T)
  | Extract<WabaOutcome, { kind: 'again' }>
  | Extract<WabaOutcome, { kind: 'refused' }>;

/** What a signup ended with. `redirectUri`: the address it came back to, which its exchange must name; null = a window's. */
export interface SignupCode {
  code: string;
  redirectUri: string | null;
}

export interface ListedNumber extends WabaNumber {
  wabaId: string;
  phoneNumberId: string;
}

/**
 * Which of the listed numbers a signup meant that did not say so: the only one, or the only one that is not registered yet. Null: it
 * cannot be told.
 */
export function meantOf(numbers: readonly ListedNumber[]): ListedNumber | null {
  const fresh = numbers.filter(({ registered }) => !registered);
  const [only, ...others] = fresh.length > 0 ? fresh : numbers;
  return only && others.length === 0 ? only : null;
}

export interface WabaNumber {
  /** The number as the platform writes it. */
  phoneNumber: string;
  displayName: string;
  /** Whether it is registered with the Cloud API already. */
  registered: boolean;
  /** The business has shown that the number is its own; only then can it be registered. */
  verified: boolean;
}

/** A number as the platform states it now; a name or a number that it does not state is empty. */
export interface StatedNumber {
  health: WabaHealth;
  /** False where it was not told, or not asked, when the token ends. */
  knowsToken: boolean;
  phoneNumber: string;
  displayName: string;
}

/** The calls in the domain's words. Every call ends in time, never throws, and may be repeated: a lost answer is `again`. */
export interface WabaPlatform {
  /** Repeating it after a lost answer ends in `code_refused`: a code is good once. */
  exchangeCode(code: SignupCode): Promise<Answered<{ token: string }>>;
  /**
   * The numbers of the account, or of all that the token was given for where the signup named none (`wabaId` empty). `number_ambiguous`
   * where it was given for every account of the business.
   */
  listNumbers(access: Pick<WabaAccess, 'token' | 'wabaId'>): Promise<Answered<{ numbers: readonly ListedNumber[] }>>;
  /** `token_of_other_app` unless it is for this deployment's app, as far as that is known. */
  inspectToken(access: WabaAccess): Promise<Answered<object>>;
  readHealth(access: WabaAccess): Promise<Answered<StatedNumber>>;
  /** `number_not_found` unless the account lists the number. */
  findNumber(access: WabaAccess): Promise<Answered<{ number: WabaNumber }>>;
  subscribe(access: WabaAccess): Promise<Answered<object>>;
  unsubscribe(access: WabaAccess): Promise<Answered<object>>;
  register(access: WabaAccess, pin: string): Promise<Answered<object>>;
  /** The templates as they stand; a language without one is absent. `outdated`: ids of those whose delivery time is not the one set. */
  readTemplates(access: WabaAccess): Promise<Answered<{ templates: WabaTemplates; outdated: readonly string[] }>>;
  /** Gives a template the delivery time that is set. */
  updateTemplate(access: WabaAccess, id: string): Promise<Answered<object>>;
  /** One that is there already counts as created. */
  createTemplate(access: WabaAccess, language: string): Promise<Answered<object>>;
  /** Languages a template is wanted in. */
  readonly languages: readonly string[];
}
