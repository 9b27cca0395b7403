// Outages of the database: which errors mean one, and how a connection that gets no answer is cut. Callers decide whether to try again.

import type { Socket } from 'node:net';
import type pg from 'pg';
import { alarm } from '../time/alarm.ts';

/** Of the network: the connection was refused, cut, or never came about. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
]);
/**
 * Of a connection that never came about: Postgres removes the file of its Unix socket when it ends (ENOENT), the socket's queue is full (EAGAIN),
 * this process or machine has no file or port left, or the name server fails. Opening a file fails with some of them, too.
 */
const connectingCodes = new Set(['ENOENT', 'EAGAIN', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EAI_FAIL']);
const connecting = new Set(['connect', 'getaddrinfo']);
/** SQLSTATE: connection exceptions, shutting down or starting up, out of resources (disk, connections), canceled, read-only, cut by `transaction_timeout`. */
const outageState = /^(08...|57P0.|53...|57014|25006|25P04)$/;
/**
 * SQLSTATE: the server refuses the statement itself, as it does where the disk is full or changes are not taken (a standby), and rolls it back. Of
 * others of `outageState` that is not certain: a statement may be canceled while its commit is on its way.
 */
const refusedState = /^(53100|25006)$/;
/** pg and its pool name these by nothing but their text. */
const outageText =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error)|Cannot use a pool after)/;

/**
 * An outage before the statement that stores the change was given to the database: nothing of it is stored. What was done to make room for
 * it may be.
 */
class NotStored extends Error {
  override name = 'NotStored';
  readonly code: unknown;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = (cause as { code?: unknown }).code;
  }
}

/** The error of a statement that was given no connection. Of what is no outage, the error as it is. */
export const notStored = <Thrown>(error: Thrown): Thrown | NotStored =>
  isOutage(error) && !(error instanceof NotStored) ? new NotStored(error) : error;

/** For work that comes before the statement that stores. @throws NotStored for an outage; other errors as they are */
export const beforeStoring = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw notStored(error);
  });

/** For work that comes after a statement that stores. @throws what made a statement of it fail, which says nothing of the one before */
export const afterStoring = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    const cause = causeOf(error);
    // Without the severity that makes it the server's answer to the statement that stores.
    throw isRefusal(cause) ? Object.assign(new Error(cause.message, { cause }), { code: cause.code }) : cause;
  });

/** The outage itself, where nothing is stored for it. Of any other error, the error as it is. */
export const causeOf = (error: unknown): unknown => (error instanceof NotStored ? error.cause : error);

/** Whether the server itself has refused the statement. FATAL and PANIC end its connection, and say nothing of a commit that was on its way. */
function isRefusal(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === 'ERROR' && typeof code === 'string' && refusedState.test(code);
}

/** Whether it is not known, after this error, if the statement that stores was committed. */
export const mayBeStored = (error: unknown): boolean =>
  isOutage(error) && !(error instanceof NotStored) && !isRefusal(error);

/** Whether the database is away or overwhelmed, so that the same statement may work later; false for errors of the statement itself. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NotStored) return true;
  if (error instanceof AggregateError) return error.errors.some(isOutage); // every address of a name was tried
  const { code, syscall = '' } = error as { code?: unknown; syscall?: string };
  if (typeof code === 'string' && (networkCodes.has(code) || outageState.test(code))) return true;
  if (typeof code === 'string' && connectingCodes.has(code) && connecting.has(syscall)) return true;
  return outageText.test(error.message);
}

/**
 * Whether the data itself is at fault, so that the same data is never stored: SQLSTATE classes 22 (a value that its type refuses) and 54 (longer
 * than a row or an index takes).
 */
export const isUnstorable = (error: unknown): boolean => /^(22|54)/.test((error as { code?: string }).code ?? '');

/**
 * Whether a statement failed for what another transaction did at the same time, which says nothing of its connection: SQLSTATE class 23 (a row
 * that is there already) and 40P01 (a deadlock).
 */
export const isLostRace = (error: unknown): boolean =>
  /^(23...|40P01)$/.test((error as { code?: string } | undefined)?.code ?? '');

/** What pg has and its types don't. */
interface Connected {
  readyForQuery: boolean;
  connection: { stream: Socket };
}

/** The server's own "canceled" is given so long to arrive. */
const slackMs = 2_000;

/**
 * Cuts a connection whose statement has had no answer for longer than it may run. `statement_timeout` is the server's: a server that is
 * frozen, or behind a network that swallows packets, keeps no time limit, and TCP itself gives up only after many minutes.
 * @param mostMs what `statement_timeout` is; 0 = none, and nothing is cut.
 */
export function cutWhenSilent(client: pg.ClientBase, mostMs: number): void {
  const own = client as unknown as Connected;
  const { stream } = own.connection;
  if (!(mostMs > 0)) return;
  // Half of the slack is waited for apart: where the whole machine stood still, the server needs a moment, too.
  stream.setTimeout(mostMs + slackMs / 2);
  stream.on('timeout', () => {
    if (own.readyForQuery) return; // Idle: it may be silent, and what is asked from now on has its own time.
    const { bytesRead } = stream;
    const cut = () => {
      if (own.readyForQuery || stream.bytesRead > bytesRead) return;
      stream.destroy(Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' }));
    };
    alarm(cut, slackMs / 2, { ref: false });
  });
}
