// The context of the accounts room: its parts take this one object, so that nothing is handed from one to the next.

import type { KeyPrefixes } from '../../core/accounts/api-key.ts';
import type { IdSource } from '../../core/ids.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Db } from '../../db/schema.ts';
import type { Caches } from '../webhooks/context.ts';

export interface AccountsContext {
  db: Db;
  ids: IdSource;
  ring: KeyRing;
  prefixes: KeyPrefixes;
  now(): number;
  settings: AccountSettings;
  /** Cleared after each change of a key, an account or a sender name. Absent where this process holds none. */
  caches?: Caches;
  /** For alarms. Absent on the command line, where nobody registers. */
  log?: AccountsLog;
}

export interface AccountsLog {
  info(about: object, message: string): void;
  error(about: object, message: string): void;
}

/** Read at each use, so that a reload holds at once. */
export interface AccountSettings {
  /** Ids of the configured operators. */
  readonly operators: readonly string[];
  /** Working keys of one account and mode. Default 100. */
  readonly mostKeys?: number;
  /** RAMZ_ADMIN_TOKEN is set: there is a way in without any administrator. Default false. */
  readonly hasAdminToken?: boolean;
  /** Sender names of one account and mode. Default 50. */
  readonly mostNames?: number;
  /** Days after its closing in which an account can be reopened. Default 30. */
  readonly closedAccountDays?: number;
  /** Accounts that may wait for approval at once. Default 1,000. */
  readonly mostWaiting?: number;
  /** Days without any use of its keys after which an account that waits for approval is closed. Default 30. */
  readonly waitingAccountDays?: number;
}
