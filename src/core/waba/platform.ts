// The calls that linking makes to the messaging platform, in the domain's words: the engine calls them, and the channel's folder
// implements them. Every call ends in time, never throws, and may be repeated: a lost answer is `again`.

import type { WabaOutcome, WabaTemplates } from './link.ts';

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

export interface WabaNumber {
  /** As the platform writes it. */
  phoneNumber: string;
  displayName: string;
  /** It is registered with the Cloud API already. */
  registered: boolean;
}

export interface WabaPlatform {
  /** Repeating it after a lost answer ends in `code_refused`: a code is good once. */
  exchangeCode(code: string): Promise<Answered<{ token: string }>>;
  /** `token_of_other_app` unless it is for this deployment's app, as far as that is known. */
  inspectToken(access: WabaAccess): Promise<Answered<object>>;
  /** `number_not_found` unless the account lists the number. */
  findNumber(access: WabaAccess): Promise<Answered<{ number: WabaNumber }>>;
  subscribe(access: WabaAccess): Promise<Answered<object>>;
  unsubscribe(access: WabaAccess): Promise<Answered<object>>;
  register(access: WabaAccess, pin: string): Promise<Answered<object>>;
  /** As they stand; a language without one is absent. */
  readTemplates(access: WabaAccess): Promise<Answered<{ templates: WabaTemplates }>>;
  /** One that is there already counts as created. */
  createTemplate(access: WabaAccess, language: string): Promise<Answered<object>>;
  /** Languages a template is wanted in. */
  readonly languages: readonly string[];
}
