// The server behind DATABASE_URL as a process finds it: whether it can work on it at all, and what its operator should know. None of it needs
// more than an ordinary role.

import { openConnection } from '../client.ts';
import type { Queryable } from '../queryable.ts';
import { HostReadOnly, keepsSession, needsSessions, SessionRefused } from './session.ts';

export interface ServerNeeds {
  /** Connections that this process opens at most. */
  connections: number;
}

export type ServerCheck =
  /** `isReadOnly`: it takes no changes, which may pass. */
  | { kind: 'refused'; reason: string; isReadOnly?: true }
  /** `warnings`: for the log, each with what to do. */
  | { kind: 'fit'; warnings: string[] };

export interface Room {
  version: number;
  /** Of the database: what its texts may hold. */
  encoding: string;
  /** Connections that the role may have on this database in all, and those that there are. */
  most: number;
  used: number;
  /** Whether the server's own log has the details of errors: of a row that is there already its key, with the phone number. */
  logsDetails: boolean;
  /** Whether it has the values of statements. */
  logsValues: boolean;
}

/** Those the suites run on; `server_version_num` of the oldest, and of the first after the youngest. */
const oldest = 150_000;
const beyond = 190_000;

const roomText = `select current_setting('server_version_num')::integer as version,
  current_setting('server_encoding') as encoding,
  least(
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      - coalesce(current_setting('reserved_connections', true)::integer, 0),
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as most,
  (select count(*)::integer from pg_stat_activity where datid is not null and pid <> pg_backend_pid()) as used,
  current_setting('log_error_verbosity') <> 'terse' and current_setting('log_min_messages') not in ('log', 'fatal', 'panic') as "logsDetails",
  current_setting('log_parameter_max_length_on_error') <> '0' or current_setting('log_parameter_max_length') <> '0' and (
    current_setting('log_statement') in ('mod', 'all') or current_setting('log_min_duration_statement') <> '-1'
    or current_setting('log_min_duration_sample') <> '-1' or current_setting('log_transaction_sample_rate') <> '0') as "logsValues"`;

/** Looks at the server over connections of its own. @throws when it can't be reached. */
export async function checkServer(url: string, needs: ServerNeeds): Promise<ServerCheck> {
  const options = { applicationName: 'ramz start', wants: 'read-write' } as const;
  const refused = (reason: string): ServerCheck => ({ kind: 'refused', reason });
  try {
    const client = await openConnection(url, options);
    try {
      const kept = await keepsSession(client, () => openConnection(url, options));
      if (!kept)
        return refused(`a connection pooler in transaction or statement mode is before the database: ${needsSessions}`);
      const { rows } = await client.query<Room>(roomText);
      const [room] = rows;
      return room ? judge(room, needs) : refused('the database does not say what it is');
    } finally {
      await client.end();
    }
  } catch (error) {
    if (error instanceof HostReadOnly) return { kind: 'refused', reason: error.message, isReadOnly: true };
    if (error instanceof SessionRefused) return refused(error.message);
    throw error;
  }
}

/** Whether a process with these needs can work there. Pure. */
export function judge(room: Room, { connections }: ServerNeeds): ServerCheck {
  const { version, most, used } = room;
  const major = Math.floor(version / 10_000);
  if (version < oldest)
    return { kind: 'refused', reason: `the database is PostgreSQL ${major}: the service needs 15 to 18` };
  // SQL_ASCII converts nothing, and keeps the UTF-8 that we write.
  if (!['UTF8', 'SQL_ASCII'].includes(room.encoding)) {
    const reason = `the database has the encoding ${room.encoding}, in which not every text can be stored: the service needs one that was created with encoding 'UTF8'`;
    return { kind: 'refused', reason };
  }
  if (connections > most) {
    const reason = `the database lets this role have ${most} connections, and one process takes ${connections}: raise max_connections or the role's limit, or lower DATABASE_POOL_*`;
    return { kind: 'refused', reason };
  }
  const warnings: string[] = [];
  if (version >= beyond)
    warnings.push(`the database is PostgreSQL ${major}, which this version was not tested on: 15 to 18 are`);
  if (connections > most - used) {
    warnings.push(
      `the database has ${most - used} of ${most} connections left, and this process takes up to ${connections}: raise max_connections, or lower DATABASE_POOL_*`,
    );
  }
  if (room.logsDetails)
    warnings.push(
      "the database's own log has phone numbers in it, in the details of errors: set log_error_verbosity = terse",
    );
  if (room.logsValues) {
    warnings.push(
      "the database's own log has phone numbers in it, as values of statements: set log_parameter_max_length = 0 and log_parameter_max_length_on_error = 0",
    );
  }
  return { kind: 'fit', warnings };
}

/** How safe a commit is that was answered, and how far the database's clock is from ours. */
export interface ServerState {
  /** Whether a commit is answered only once a standby has it: what `synchronous_commit` and `synchronous_standby_names` say. */
  waitsForStandby: boolean;
  /** Whether a commit is answered before it is on the database's own disk. */
  losesOnCrash: boolean;
  /** Standbys that commits wait for; null where this role may not see them (it takes `pg_monitor`). */
  standbys: number | null;
  /** The database's clock less ours, ms; within half of `roundTripMs`. */
  clockOffsetMs: number;
  roundTripMs: number;
}

interface Replication {
  commit: string;
  names: string;
  standbys: number;
  hidden: number;
}

const replicationText = `select current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as names,
  count(*) filter (where sync_state in ('sync', 'quorum'))::integer as standbys,
  count(*) filter (where pid is not null and sync_state is null)::integer as hidden from pg_stat_replication`;

const clockText = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at';
/** The quickest of them tells most: the answer was under way for least. */
const clockReadings = 3;

export async function readServerState(db: Queryable, now: () => number): Promise<ServerState> {
  const replication = await db.query<Replication>({ name: 'replication', text: replicationText, values: [] });
  const { commit = 'on', names = '', standbys = 0, hidden = 0 } = replication.rows[0] ?? {};
  const waits = names !== '' && commit !== 'off' && commit !== 'local';
  return {
    waitsForStandby: waits,
    losesOnCrash: commit === 'off',
    standbys: hidden > 0 ? null : standbys,
    ...(await readClock(db, now)),
  };
}

async function readClock(db: Queryable, now: () => number) {
  let best = { clockOffsetMs: 0, roundTripMs: Number.POSITIVE_INFINITY };
  for (let reading = 0; reading < clockReadings; reading += 1) {
    const before = now();
    const { rows } = await db.query<{ at: number }>({ name: 'clock', text: clockText, values: [] });
    const after = now();
    const roundTripMs = after - before;
    // Half of the way there, half back: by how much that is wrong is not known, but it is no more than a half.
    if (roundTripMs < best.roundTripMs)
      best = { clockOffsetMs: (rows[0]?.at ?? 0) - (before + after) / 2, roundTripMs };
  }
  return best;
}
