// What keeps a program from the database, in words for the person who runs it. Neither pg nor Node names the setting that the address came from,
// and a stack through their code shows nobody what to put right.

import { Refused } from '../../core/refused.ts';
import { causeOf, isOutage } from '../outage.ts';
import { HostReadOnly, SessionRefused } from './session.ts';

/** SQLSTATE: who we are is refused (wrong password, no entry in pg_hba.conf), and a database that is not there. */
const refusedState = /^(28...|3D000)$/;
/** Certificates that are not trusted, or are another server's. */
const certificateCode = /^(ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;
/** pg names these by nothing but their text. */
const refusedText = /^(SASL: |The server does not support SSL connections)/;

/** One line; null for an error that is no matter of the connection. @param env where the address comes from. */
export function databaseProblem(thrown: unknown, env: NodeJS.ProcessEnv): string | null {
  const error = causeOf(thrown);
  if (!(error instanceof Error) || error instanceof Refused) return null;
  if (error instanceof SessionRefused || error instanceof HostReadOnly) return error.message;
  const { code = '' } = error as { code?: unknown };
  const isRefused = refusedState.test(String(code)) || certificateCode.test(String(code));
  if (!isRefused && !refusedText.test(error.message) && !isOutage(error)) return null;
  return `the database can't be used: ${reasonOf(error)}. ${adviceFor(env)}`;
}

function reasonOf(error: Error): string {
  // Of a name with several addresses each try fails by itself, and the error over them has no text of its own.
  if (error instanceof AggregateError) return error.errors.map((each) => each.message).join('; ');
  return error.message.endsWith('client password must be a string')
    ? 'the server asks for a password, and none is given'
    : error.message;
}

function adviceFor(env: NodeJS.ProcessEnv): string {
  const names = ['DATABASE_URL', 'DATABASE_URL_FILE'].filter((name) => env[name]);
  if (names.length === 0) return 'It is the one in the data directory: its log is postgres/postgres.log there';
  const cells = ['DATABASE_CELLS', 'DATABASE_CELLS_FILE'].filter((name) => env[name]);
  const named = [...names, ...cells].join(' and ');
  return `Look whether it runs, and at host, port, user, password and database in ${named}`;
}
