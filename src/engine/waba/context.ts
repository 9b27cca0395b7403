// The context of the waba room, which links businesses' own WhatsApp accounts. Its parts take this one object, so that
// nothing is handed from one to the next.

import type { IdSource } from '../../core/ids.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { WabaPlatform } from '../../core/waba/platform.ts';
import type { Db, WabaRow } from '../../db/schema.ts';
import type { WebhookLog } from '../webhooks/context.ts';

export interface WabaContext {
  db: Db;
  ids: IdSource;
  ring: KeyRing;
  now(): number;
  log: Pick<WebhookLog, 'error'>;
  settings: WabaSettings;
  /** Default: none. */
  observer?: WabaObserver;
  /** Between tries to store a step's result while the database is away. Default: about a minute in all. */
  outagePausesMs?: readonly number[];
}

/** Read at each use, so that a reload holds at once. */
export interface WabaSettings {
  /** Null = WhatsApp is not configured, and links that are due wait. */
  readonly platform: WabaPlatform | null;
  /** Whether an embedded signup is configured. */
  readonly hasSignup: boolean;
  /** Phone number id of the deployment's own number, which no business can link; null where there is none. */
  readonly platformNumber: string | null;
}

export interface WabaObserver {
  /** A step was stored, or a token was lost. */
  linkChanged(row: WabaRow): void;
  /** Numbers that may have another token now. */
  numbersChanged(phoneNumberIds: readonly string[]): void;
}

export const unobserved: WabaObserver = { linkChanged() {}, numbersChanged() {} };
