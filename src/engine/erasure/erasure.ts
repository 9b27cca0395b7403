// The erasure room: takes a phone number out of everything that is stored of it, one session at a time, while the service goes on. It works on the
// databases alone, so that the API and the command line share it; running processes are asked to end what is pending and to forget what they hold.

import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from '../../core/accounts/actor.ts';
import { formsOf, type NumberForms } from '../../core/erasure/number-forms.ts';
import { shardForAccount, shardOf } from '../../core/ids.ts';
import { numberHash } from '../../core/limits/lists.ts';
import { maskPhone } from '../../core/phone.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { audit } from '../../db/accounts/audit.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import { laterTime, mostApartMs } from '../../db/clock.ts';
import {
  type ErasureScope,
  eraseClaims,
  eraseCounts,
  eraseListed,
  eraseParked,
  erasePlaces,
  ownEndpoints,
  sessionsOfNumber,
  usedEndpoints,
} from '../../db/erasure/number.ts';
import { erasePrefixes } from '../../db/erasure/prefixes.ts';
import { type AnsweredKey, type ErasedRows, eraseSession } from '../../db/erasure/session.ts';
import { withoutEffect } from '../../db/lock-patience.ts';
import { inside } from '../../db/queryable.ts';
import { type UntypedDb, withSchema } from '../../db/schema.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import { announceErasure } from '../fleet/peers.ts';

export type { ErasedRows, ErasureScope };

export interface ErasureDatabases {
  home: UntypedDb;
  /** All databases that sessions are in, home first. */
  cells: readonly UntypedDb[];
}

export interface ErasureRequest {
  /** E.164. */
  number: string;
  /** Null = of all accounts, and what belongs to none. */
  scope: ErasureScope | null;
  /** Who asks for it, for the audit log. */
  actor: Actor;
  /** Sessions at most. Default: all. */
  limit?: number;
  /** After this nothing more is begun. Default: it is not limited. */
  timeLimitMs?: number;
}

/** Where a part of the work ends. */
interface Bounds {
  scope: ErasureScope | null;
  /** Sessions made before, Unix ms. */
  before: number;
  limit: number;
  /** Unix ms. */
  endsAt: number;
}

export interface NumberErased {
  /** Rows that were changed or deleted, by table. */
  rows: ErasedRows;
  /** True where nothing is left: neither what is beyond the limits, nor a session that no process would end. */
  complete: boolean;
}

/** Sessions asked for at a time. */
const perPage = 50;
/** How long the end of a pending session is waited for, ms: a running process ends it within milliseconds. */
const patienceMs = 5_000;
const pauseMs = 50;

/** What is known of the account whose sessions come next. */
interface Found {
  accountId: string;
  /** That have webhooks in the database, those that were deleted since among them. */
  endpoints: readonly string[];
}

export class Erasure {
  readonly #dbs: ErasureDatabases;
  /** Unix ms. */
  readonly #now: () => number;
  readonly #ring: Pick<KeyRing, 'all'>;

  constructor(dbs: ErasureDatabases, now: () => number, ring: Pick<KeyRing, 'all'>) {
    this.#dbs = dbs;
    this.#now = now;
    this.#ring = ring;
  }

  /** For a number that no send takes: null, and nothing is recorded, where nothing is stored of it. */
  async eraseStored(request: ErasureRequest): Promise<NumberErased | null> {
    const { timeLimitMs = Number.POSITIVE_INFINITY } = request;
    const endsAt = this.#now() + timeLimitMs;
    if (await this.#isStored(request)) return this.erase({ ...request, timeLimitMs: endsAt - this.#now() });
    await this.#raise();
    return null;
  }

  /**
   * Whether `erase` would find anything. What belongs to no session is asked for by the statements of the erasure themselves, undone: another list
   * of the places where a number can stand would soon lack one.
   */
  async #isStored({ number, scope }: ErasureRequest): Promise<boolean> {
    const { home, cells } = this.#dbs;
    const forms = formsOf(number);
    const isFound = (rows: ErasedRows) => Object.values(rows).some((count) => count > 0);
    for (const db of cells) {
      const before = await laterTime(db, this.#now());
      const sessions = await sessionsOfNumber(db, number, { scope, before: before + mostApartMs, limit: 1 });
      if (sessions.length > 0) return true;
      const apart = (tx: UntypedDb) => eraseApart({ home: db === home ? tx : home, db: tx }, forms, { scope, before });
      if (isFound(await withoutEffect(db, apart))) return true;
    }
    return isFound(await withoutEffect(home, (tx) => this.#eraseSettings(tx, forms, scope)));
  }

  /** May be broken off anywhere and done again: what is erased is not found again, and what is not yet is. */
  async erase({ number, scope, actor, ...limits }: ErasureRequest): Promise<NumberErased> {
    const { limit = Number.POSITIVE_INFINITY, timeLimitMs = Number.POSITIVE_INFINITY } = limits;
    const endsAt = this.#now() + timeLimitMs;
    const { home, cells } = this.#dbs;
    const forms = formsOf(number);
    await this.#record({ number, scope, actor }, this.#now());
    const rows: ErasedRows = {};
    let left = limit;
    let complete = true;
    for (const db of cells) {
      // The clock of a process may be as far ahead.
      const before = await laterTime(db, this.#now());
      const done = await this.#sessions(db, forms, { scope, before: before + mostApartMs, limit: left, endsAt });
      left -= done.count;
      add(rows, done.rows);
      const goesOn = done.complete && this.#now() < endsAt;
      complete &&= goesOn;
      if (goesOn) add(rows, await eraseApart({ home, db }, forms, { scope, before }));
    }
    if (this.#now() < endsAt) add(rows, await this.#eraseSettings(home, forms, scope));
    else complete = false;
    await this.#raise();
    return { rows, complete };
  }

  /** Processes have lists and settings in memory. Also where nothing was found: an erasure before this one may have been cut off here. */
  #raise(): Promise<void> {
    return inTransaction(withSchema(this.#dbs.home), raiseChanges);
  }

  /** From lists, and from what accounts and keys are restricted to. */
  async #eraseSettings(home: UntypedDb, forms: NumberForms, scope: ErasureScope | null): Promise<ErasedRows> {
    const hashes = this.#ring.all('lists').map(({ key }) => numberHash(key, forms.e164));
    const rows = await eraseListed(home, forms, { scope, hashes });
    add(rows, await erasePrefixes(home, forms, scope));
    return rows;
  }

  /** Before anything is erased, and only the masked form: what is erased must not live on in the log. */
  #record({ number, scope, actor }: ErasureRequest, at: number): Promise<void> {
    const { accountId = null, mode = null } = scope ?? {};
    const entry = { at: new Date(at), actor, action: 'erase_number', target: maskPhone(number), accountId, mode };
    return inTransaction(withSchema(this.#dbs.home), (tx) => audit(tx, entry));
  }

  async #sessions(db: UntypedDb, forms: NumberForms, { scope, before, limit, endsAt }: Bounds) {
    const rows: ErasedRows = {};
    let count = 0;
    let found: Found | null = null;
    for (;;) {
      const page = await sessionsOfNumber(db, forms.e164, { scope, before, limit: perPage });
      if (page.length === 0) return { rows, count, complete: true };
      const done: SessionKey[] = [];
      try {
        for (const key of page) {
          if (count >= limit || this.#now() >= endsAt) break;
          found = await this.#found(db, key, found);
          const erased = await this.#session(db, key, forms, { ...found, endsAt });
          if (!erased) break;
          add(rows, erased);
          count += 1;
          done.push(key);
        }
      } finally {
        // Also where the page is broken off: the next erasure finds these no more.
        for (const [accountId, some] of Map.groupBy(done, (key) => key.accountId))
          await this.#announce(accountId, some);
      }
      if (done.length < page.length) return { rows, count, complete: false };
    }
  }

  /** Pages are in the order of accounts. */
  async #found(db: UntypedDb, { accountId }: SessionKey, before: Found | null): Promise<Found> {
    if (before?.accountId === accountId) return before;
    const shard = shardForAccount(accountId);
    return { accountId, endpoints: await usedEndpoints(db, (id) => shardOf(id) === shard) };
  }

  /** Null where the session is pending and no process ends it. */
  async #session(
    db: UntypedDb,
    key: SessionKey,
    forms: NumberForms,
    found: Found & { endsAt: number },
  ): Promise<ErasedRows | null> {
    const { home } = this.#dbs;
    const now = this.#now;
    const deadline = Math.min(now() + patienceMs, found.endsAt);
    const rows: ErasedRows = {};
    const unclaimed: AnsweredKey[] = [];
    let isAsked = false;
    for (;;) {
      // Some may have got their first webhook since: the end of a pending session is one.
      const endpoints = [...new Set([...found.endpoints, ...(await ownEndpoints(home, key.accountId))])];
      const erased = await eraseSession(db, key, { forms, endpoints, unclaimed, now: now() });
      if (erased.kind === 'claimed') {
        // Before the answers, which alone name the keys: an erasure that is broken off in between finds the session, and both, once more.
        add(rows, await this.#eraseClaims(erased.keys));
        unclaimed.push(...erased.keys);
        continue;
      }
      if (erased.kind === 'pending') {
        if (!isAsked) await this.#announce(key.accountId, [key]);
        isAsked = true;
        if (now() >= deadline) return null;
        await pause(pauseMs);
        continue;
      }
      if (erased.kind === 'erased') add(rows, erased.rows);
      // Once more: the call may have been repeated before its answer was gone, which claims its key again.
      add(rows, await this.#eraseClaims(unclaimed));
      return rows;
    }
  }

  /** A claim is in the cell of its key, whichever that was when it was made. */
  async #eraseClaims(keys: readonly AnsweredKey[]): Promise<ErasedRows> {
    const rows: ErasedRows = {};
    for (const db of this.#dbs.cells) add(rows, await eraseClaims(db, keys));
    return rows;
  }

  #announce(accountId: string, keys: readonly SessionKey[]): Promise<void> {
    return announceErasure(inside(this.#dbs.home), { accountId, sessionIds: keys.map(({ id }) => id) });
  }
}

/** From one database, what belongs to no session. */
async function eraseApart(
  { home, db }: { home: UntypedDb; db: UntypedDb },
  forms: NumberForms,
  { scope, before }: { scope: ErasureScope | null; before: number },
): Promise<ErasedRows> {
  const rows = await erasePlaces(db, forms.e164, { scope, before });
  if (scope) return rows;
  add(rows, await eraseCounts(home, db, forms));
  add(rows, await eraseParked(db, forms));
  return rows;
}

function add(sum: ErasedRows, more: ErasedRows): void {
  for (const [table, count] of Object.entries(more)) sum[table] = (sum[table] ?? 0) + count;
}
