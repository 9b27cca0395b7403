// Kysely's types of accounts, keys, sender names and links. They describe the newest state; the migrations lead to it. Sessions (db/verify)
// and webhooks (db/webhooks) are written in plain SQL and have records instead.

import type { ColumnType, Kysely, Selectable, Transaction } from 'kysely';
import type { ActorKind } from '../core/accounts/actor.ts';
import type { WordingKind, WordingStatus } from '../core/accounts/wording.ts';
import type { OwnBudget } from '../core/limits/budget.ts';
import type { KeyRestrictions } from '../core/limits/key-restrictions.ts';
import type { ListName } from '../core/limits/lists.ts';
import type { StopRule } from '../core/limits/stop.ts';
import type { RuleModes } from '../core/limits/verdict.ts';
import type { Leg, Mode } from '../core/verify/session.ts';
import type { WabaHealth, WabaReason, WabaStatus, WabaStep, WabaTemplates } from '../core/waba/link.ts';

/** Written once, when the row is inserted. */
type Fixed<T> = ColumnType<T, T, never>;
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** Overrides of the platform's limits for one account; what is absent is the platform's. */
export interface AccountLimits {
  sends_per_second?: number;
  /** True where sends per number are not counted: load tests, monitoring. */
  unlimited_numbers?: boolean;
  /** To one number. */
  sends_per_number_per_hour?: number;
  sends_per_number_per_day?: number;
  /** For one end user. */
  client_ip_sends_per_hour?: number;
  client_ip_sends_per_day?: number;
  client_device_sends_per_hour?: number;
  client_device_sends_per_day?: number;
  client_user_agent_sends_per_hour?: number;
  client_user_agent_sends_per_day?: number;
  /** Modes of rules against abuse. */
  rules?: Partial<RuleModes>;
  /** In place of parts of the deployment's; 'none': the account has no budget. */
  budget?: OwnBudget | 'none';
}

interface AccountTable {
  id: Fixed<string>;
  name: string;
  created_at: Fixed<Date>;
  custom_waba_connected_at: Nullable<Date>;
  sms_first_send_at: Nullable<Date>;
  in_country_only: ColumnType<boolean, boolean | undefined, boolean>;
  limits: ColumnType<AccountLimits, string | undefined, string>;
  /** Null while the account may do what its keys allow. */
  suspended_at: Nullable<Date>;
  /** For the operator of the service alone. */
  suspended_reason: Nullable<string>;
  /** Null while the account is open. A closed account is suspended, too. */
  closed_at: Nullable<Date>;
  /** For the operator of the service alone. */
  closed_reason: Nullable<string>;
  /** From here on rows of the closed account are gone, and nothing brings it back. */
  purging_since: Nullable<Date>;
  /** Null while the account waits for approval: its live keys are refused. Fills itself. */
  approved_at: ColumnType<Date | null, Date | null | undefined, Date>;
  /** True where what the account registers for autofill, its brand and its texts are approved at once. */
  approves_autofill: ColumnType<boolean, boolean | undefined, boolean>;
}

interface AccountSettingTable {
  account_id: Fixed<string>;
  mode: Fixed<Mode>;
  language: string;
  default_sender_id: Nullable<string>;
  cascade: ColumnType<Leg[] | null, string | null | undefined, string | null>;
  /** Beginnings of numbers in E.164; empty = no restriction. */
  allowed_prefixes: ColumnType<string[], string[] | undefined, string[]>;
}

interface AccountAutofillTable {
  account_id: Fixed<string>;
  mode: Fixed<Mode>;
  value: Fixed<string>;
  package_name: Nullable<string>;
  position: number;
  approved: boolean;
  created_at: Fixed<Date>;
}

interface AccountWordingTable {
  account_id: Fixed<string>;
  mode: Fixed<Mode>;
  kind: Fixed<WordingKind>;
  value: Fixed<string>;
  status: WordingStatus;
  reason: Nullable<string>;
  wanted: boolean;
  created_at: Fixed<Date>;
  decided_at: Nullable<Date>;
}

interface ApiKeyTable {
  id: Fixed<string>;
  account_id: Fixed<string>;
  mode: Fixed<Mode>;
  name: Fixed<string>;
  /** Who uses it; empty for a key of a program. */
  person: ColumnType<string, string | undefined, never>;
  secret_hash: Fixed<Buffer>;
  /** Key of the ring that `secret_hash` was made with. */
  hmac_key_id: Fixed<string>;
  scopes: Fixed<string[]>;
  created_at: Fixed<Date>;
  expires_at: Nullable<Date>;
  last_used_at: Nullable<Date>;
  revoked_at: Nullable<Date>;
  restrictions: ColumnType<Partial<KeyRestrictions> | null, string | null | undefined, never>;
  /** Id of the key that made it, or `operator`; null for keys made before this was recorded. */
  created_by: Fixed<string | null>;
}

interface AdministratorTable {
  id: Fixed<string>;
  name: Fixed<string>;
  scopes: Fixed<string[]>;
  secret_hash: Fixed<Buffer>;
  /** Key of the ring that `secret_hash` was made with. */
  hmac_key_id: Fixed<string>;
  created_at: Fixed<Date>;
  /** Id of the administrator who made it, `bootstrap` or `cli`. */
  created_by: Fixed<string>;
  expires_at: Nullable<Date>;
  last_used_at: Nullable<Date>;
  revoked_at: Nullable<Date>;
}

/** Rows are only added. */
interface AuditEventTable {
  id: Fixed<string>;
  at: Fixed<Date>;
  account_id: Fixed<string | null>;
  mode: Fixed<Mode | null>;
  action: Fixed<string>;
  target: Fixed<string>;
  actor_kind: Fixed<ActorKind>;
  actor_id: Fixed<string>;
  actor_name: Fixed<string>;
  /** Who uses the key; empty for a key of a program, and for who is no key. */
  actor_person: ColumnType<string, string | undefined, never>;
  address: Fixed<string>;
  request_id: Fixed<string>;
  before: ColumnType<Record<string, unknown>, string, never>;
  after: ColumnType<Record<string, unknown>, string, never>;
}

interface LimitEntryTable {
  id: Fixed<string>;
  /** Null = the platform's, as is `mode`. */
  account_id: Fixed<string | null>;
  mode: Fixed<Mode | null>;
  list: Fixed<ListName>;
  /** Without an asterisk; null for a number. */
  prefix: Fixed<string | null>;
  number_hash: Fixed<Buffer | null>;
  number_masked: Nullable<string>;
  hmac_key_id: Fixed<string | null>;
  note: string;
  created_at: Fixed<Date>;
  created_by: Fixed<string>;
}

interface SenderIdTable {
  id: Fixed<string>;
  account_id: Fixed<string>;
  mode: Fixed<Mode>;
  name: Fixed<string>;
  created_at: Fixed<Date>;
  due_at: Fixed<Date>;
}

interface SenderDecisionTable {
  sender_id: Fixed<string>;
  operator: Fixed<string>;
  status: string;
  reason: Nullable<string>;
  submitted_at: Fixed<Date>;
  decided_at: Nullable<Date>;
}

interface WabaTable {
  account_id: Fixed<string>;
  version: number;
  status: WabaStatus;
  step: Nullable<WabaStep>;
  reason: Nullable<WabaReason>;
  error_code: Nullable<string>;
  attempts: ColumnType<number, number | undefined, number>;
  waba_id: string;
  phone_number_id: string;
  owned: ColumnType<boolean, boolean | undefined, boolean>;
  phone_number: ColumnType<string, string | undefined, string>;
  display_name: ColumnType<string, string | undefined, string>;
  /** Sealed, as are `token` and `pin`. */
  code: Nullable<string>;
  code_expires_at: Nullable<Date>;
  token: Nullable<string>;
  pin: Nullable<string>;
  templates: ColumnType<WabaTemplates, string | undefined, string>;
  /** As the platform stated it when it was looked at last. */
  health: ColumnType<WabaHealth | null, string | null | undefined, string | null>;
  next_at: Nullable<Date>;
  step_since: Nullable<Date>;
  failing_since: Nullable<Date>;
  created_at: Date;
  connected_at: Nullable<Date>;
  updated_at: Date;
  first_send_at: Nullable<Date>;
}

interface WabaSignupTable {
  state_hash: Fixed<Buffer>;
  account_id: Fixed<string>;
  created_at: Fixed<Date>;
  expires_at: Fixed<Date>;
  used_at: Nullable<Date>;
  created_by: Fixed<string | null>;
}

interface StopTable {
  id: Fixed<string>;
  account_id: Fixed<string>;
  rule: Fixed<StopRule>;
  reason: Fixed<string>;
  prefix: Fixed<string>;
  sent: Fixed<number>;
  verified: Fixed<number>;
  enforced: Fixed<boolean>;
  started_at: Fixed<Date>;
  ends_at: Fixed<Date>;
  lifted_at: Nullable<Date>;
  lifted_by: Nullable<string>;
}

export interface Schema {
  account: AccountTable;
  account_setting: AccountSettingTable;
  account_autofill: AccountAutofillTable;
  account_wording: AccountWordingTable;
  api_key: ApiKeyTable;
  administrator: AdministratorTable;
  audit_event: AuditEventTable;
  limit_entry: LimitEntryTable;
  sender_id: SenderIdTable;
  sender_decision: SenderDecisionTable;
  waba: WabaTable;
  waba_signup: WabaSignupTable;
  stop: StopTable;
  change_counter: { name: Fixed<string>; value: ColumnType<number, number, number> };
}

export type Db = Kysely<Schema>;
/** A connection without a schema: for catalogs, partitions and deletions by the hour. */
export type UntypedDb = Kysely<unknown>;
/** A connection opened without a schema, with this one: nothing is checked but the statements written on it. */
export const withSchema = (db: UntypedDb): Db => db as unknown as Db;
/** For statements that only make sense together with others. */
export type Tx = Transaction<Schema>;

export type AccountRow = Selectable<AccountTable>;
export type AccountSettingRow = Selectable<AccountSettingTable>;
export type AccountAutofillRow = Selectable<AccountAutofillTable>;
export type AccountWordingRow = Selectable<AccountWordingTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type AdministratorRow = Selectable<AdministratorTable>;
export type AuditEventRow = Selectable<AuditEventTable>;
export type LimitEntryRow = Selectable<LimitEntryTable>;
export type SenderIdRow = Selectable<SenderIdTable>;
export type SenderDecisionRow = Selectable<SenderDecisionTable>;
export type WabaRow = Selectable<WabaTable>;
export type StopRow = Selectable<StopTable>;
