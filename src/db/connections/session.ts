// The session of a new connection: its settings are applied by a statement and looked at again, because a pooler between us and Postgres
// drops what comes with the connection. A connection whose settings do not hold is refused.

import type pg from 'pg';
import type { SessionSetting } from '../../core/database-url.ts';
import { within } from '../../time/alarm.ts';

/** The database, or a pooler before it, does not keep what a session needs. Trying again would not help. */
export class SessionRefused extends Error {
  override name = 'SessionRefused';
}

/** A host that takes no changes, where one is wanted that does. Its SQLSTATE is that of a write on it: later it may be promoted. */
export class HostReadOnly extends Error {
  override name = 'HostReadOnly';
  readonly code = '25006';

  /** @param setting where its address stands. */
  constructor(setting = 'DATABASE_URL') {
    super(`the database takes no changes (a standby, or set to read only): ${setting} must name the primary`);
  }
}

export interface Session {
  /** Whether a pooler stands between: the backend is another one than the one that greeted us. */
  pooled: boolean;
  /** What `statement_timeout` came to, ms; 0 = none. */
  statementTimeoutMs: number;
}

interface Applied {
  pid: number;
  read_only: boolean;
  applied: string[];
}

const applyText = `select pg_backend_pid() as pid,
  current_setting('transaction_read_only')::boolean or pg_is_in_recovery() as read_only,
  array(select set_config(name, value, false) from unnest($1::text[], $2::text[]) as wanted (name, value)) as applied`;

const heldText = 'select array(select current_setting(name) from unnest($1::text[]) as name) as held';

/**
 * Applies the settings to a connection. @throws SessionRefused naming the setting that was refused or did not stay; HostReadOnly; what the
 * connection throws.
 */
export async function openSession(
  client: pg.ClientBase,
  wanted: ReadonlyMap<string, string>,
  wants: 'any' | 'read-write',
): Promise<Session> {
  const [names, values] = [[...wanted.keys()], [...wanted.values()]];
  const { rows } = await client.query<Applied>({ text: applyText, values: [names, values] }).catch((error: unknown) => {
    throw refusal(error) ?? error;
  });
  const { pid = 0, read_only = false, applied = [] } = rows[0] ?? {};
  if (read_only && wants === 'read-write') throw new HostReadOnly();
  const pooled = isPooled(client, pid);
  if (pooled) {
    // In a statement of its own, which a pooler may give to another backend.
    const again = await client.query<{ held: string[] }>({ text: heldText, values: [names] });
    const lost = names.findIndex((_, at) => again.rows[0]?.held[at] !== applied[at]);
    if (lost >= 0) {
      const is = `${names[lost]} is ${again.rows[0]?.held[lost]} instead of ${applied[lost]}`;
      throw new SessionRefused(`a connection pooler does not keep the settings of a session (${is}): ${needsSessions}`);
    }
  }
  return { pooled, statementTimeoutMs: toMs(applied[names.indexOf('statement_timeout')] ?? '0') };
}

export const needsSessions =
  'set it to session mode (pgbouncer: pool_mode = session), or name Postgres itself in DATABASE_URL';

/** SQLSTATE: no such setting, a value it can't have, not allowed, only at the start. */
const refused = new Set(['42704', '22023', '42501', '55P02', '42602']);

function refusal(error: unknown): SessionRefused | null {
  const { code = '', message } = error as { code?: string; message: string };
  return refused.has(code) ? new SessionRefused(`the database refuses a session setting: ${message}`) : null;
}

/** A pooler greets a connection with a number of its own, which is not that of the backend. */
const isPooled = (client: pg.ClientBase, backend: number): boolean =>
  (client as { processID?: number | null }).processID !== backend;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as Postgres writes it (`15s`, `500ms`, `0`), in ms. */
function toMs(text: string): number {
  const [, digits = '0', unit = 'ms'] = /^(\d+)(\w*)$/.exec(text) ?? [];
  return Number(digits) * (unitMs[unit || 'ms'] ?? 1);
}

const backendOf = async (client: pg.ClientBase): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
};

/** A backend that is free answers in a moment; one that another of our connections holds never does. */
const answerMs = 2_000;

/**
 * Whether a connection keeps its backend from one transaction to the next: whether no pooler stands between, or one in session mode. The
 * second connection takes whatever backend is free, so that where they are shared the first one meets another, or none.
 * @param open makes a second connection.
 */
export async function keepsSession(first: pg.ClientBase, open: () => Promise<pg.Client>): Promise<boolean> {
  const own = await backendOf(first);
  if (!isPooled(first, own)) return true;
  const second = await open();
  try {
    // In statement mode a pooler refuses it.
    const begun = await second.query('begin').then(
      () => backendOf(second),
      () => null,
    );
    if (begun === null || begun === own) return false;
    return await within(backendOf(first), answerMs, 'no backend').then(
      (pid) => pid === own,
      () => false,
    );
  } finally {
    await second.end().catch(() => {});
  }
}

/** Later ones win, and stand where the first one stood. */
export const inOrder = (...lists: readonly (readonly SessionSetting[])[]): ReadonlyMap<string, string> =>
  new Map(lists.flat());
