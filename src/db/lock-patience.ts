// Short waits for locks that others would queue behind. A statement that waits for ACCESS EXCLUSIVE stops every later one, readers
// included, for as long as it waits: so each wait is short, and is repeated after a pause in which the others go on.

import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';

/** Longest wait for one lock: what sends and checks can stand unnoticed. */
const lockTimeoutMs = 200;

/** SQLSTATE lock_not_available (lock_timeout ran out), and deadlock_detected, after which the other one has gone on. */
const lockCodes = new Set(['55P03', '40P01']);

/** Whether a statement gave up because others hold what it needs, so that it may work later. */
export const isLockTimeout = (error: unknown): boolean => lockCodes.has((error as { code?: string }).code ?? '');

export interface Patience {
  /** Tries altogether. */
  attempts: number;
  /** Between two tries, ms; up to twice as long at random, so that processes do not meet again and again. */
  pauseMs: number;
}

/** For what a running service does in the background: the next turn of the loop tries again. */
const briefly: Patience = { attempts: 5, pauseMs: 250 };

/** For a migration: a wait of 200 ms, then about a second in which all others go on; for about a minute and a half. */
export const untilFree: Patience = { attempts: 75, pauseMs: 700 };

/**
 * Runs `work` in a transaction that waits at most `lockTimeoutMs` for each lock. In one that `withLocks` has begun it goes on in that one, which
 * is tried again as a whole. @throws the last failure of all tries.
 */
export function withLocks<T>(
  db: Kysely<unknown>,
  work: (tx: Transaction<unknown>) => Promise<T>,
  patience: Patience = briefly,
): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<unknown>);
  const once = () =>
    db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
      return work(tx);
    });
  return again(once, patience);
}

/** What `work` results in where it is done, without doing it: all that it changes is undone. It is tried as `withLocks` does. */
export const withoutEffect = <T>(db: Kysely<unknown>, work: (tx: Transaction<unknown>) => Promise<T>): Promise<T> =>
  withLocks(db, async (tx) => {
    await sql`savepoint before`.execute(tx);
    const result = await work(tx);
    await sql`rollback to savepoint before`.execute(tx);
    return result;
  });

/**
 * `withLocks` for a statement that must not be in a transaction (`… concurrently`).
 * @param connection one connection, not a pool: its `lock_timeout` is set and put back.
 */
export async function withLocksOutside<T>(
  connection: Kysely<unknown>,
  work: () => Promise<T>,
  patience: Patience = briefly,
): Promise<T> {
  const putBack = await setFor(connection, 'lock_timeout', String(lockTimeoutMs));
  try {
    return await again(work, patience);
  } finally {
    await putBack();
  }
}

/**
 * Sets a setting of the session; returns what puts it back. Not `reset`, which would go back beyond what the connection was given when it was
 * made (connections/session.ts).
 */
export async function setFor(connection: Kysely<unknown>, name: string, value: string): Promise<() => Promise<void>> {
  const set = (to: string) => sql`select set_config(${name}, ${to}, false)`.execute(connection);
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(connection);
  const before = rows[0]?.value ?? '0';
  await set(value);
  return async () => {
    await set(before).catch(() => {}); // A lost connection has lost its settings too.
  };
}

async function again<T>(once: () => Promise<T>, { attempts, pauseMs }: Patience): Promise<T> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await once();
    } catch (error) {
      if (left <= 0 || !isLockTimeout(error)) throw error;
      await pause(pauseMs * (1 + Math.random()));
    }
  }
}

/** What comes of a wait for another process. */
export interface Waiting {
  /** Called once, when it begins. */
  onWait?(): void;
  /** Ends it, with an AbortError. */
  signal?: AbortSignal;
}

export interface AloneOptions extends Waiting {
  /** How long others are waited for. */
  patienceMs: number;
}

/**
 * Runs `work` on one connection while no other process runs anything under the same lock, or resolves with null where another still
 * does after `patienceMs`. The lock is asked for, never waited for: a statement that waits keeps a snapshot open, and an index that
 * is built concurrently by the lock's holder would wait for that snapshot without end. @throws AbortError when the wait is ended.
 */
export function alone<T>(
  db: Kysely<unknown>,
  lock: number,
  { patienceMs, onWait, signal }: AloneOptions,
  work: (connection: Kysely<unknown>) => Promise<T>,
): Promise<{ result: T } | null> {
  return db.connection().execute(async (connection) => {
    const deadline = performance.now() + patienceMs;
    let isWaiting = false;
    while (!(await tryLock(connection, lock))) {
      if (performance.now() >= deadline) return null;
      if (!isWaiting) onWait?.();
      isWaiting = true;
      await pause(50 + 100 * Math.random(), undefined, signal && { signal });
    }
    try {
      return { result: await work(connection) };
    } finally {
      // A lost connection has lost the lock too, and must not hide why it was lost.
      await sql`select pg_advisory_unlock(${sql.lit(lock)})`.execute(connection).catch(() => {});
    }
  });
}

async function tryLock(connection: Kysely<unknown>, lock: number): Promise<boolean> {
  const { rows } = await sql<{ ours: boolean }>`select pg_try_advisory_lock(${sql.lit(lock)}) as ours`.execute(
    connection,
  );
  return rows[0]?.ours === true;
}
