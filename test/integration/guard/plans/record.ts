// What the pools of this process send to the database, recorded where every pool passes: at the driver.
import pg from 'pg';

export interface Statement {
  /** Which connections it runs on: their planner has settings of its own. */
  pool: 'lanes' | 'lists' | 'pool';
  /** The settings themselves, as the session was opened with them. */
  options: string;
  text: string;
  /** Of the first time it was sent. */
  values: readonly unknown[];
}

/** What pg has and its types don't. */
interface Parameters {
  /** Of what belongs to the test itself, another. */
  application_name?: string;
}

interface Sent {
  text?: string;
  values?: readonly unknown[];
}

/** Every different text from now on, until `stop`. */
export function recordStatements(): { statements: ReadonlyMap<string, Statement>; stop(): void } {
  const statements = new Map<string, Statement>();
  const optionsOf = new WeakMap<pg.Client, string>();
  const { query } = pg.Client.prototype;
  function recording(this: pg.Client, ...args: unknown[]): unknown {
    const [first, second] = args as [string | Sent, unknown];
    const { text = '', values } = typeof first === 'string' ? { text: first } : first;
    const given = values ?? (Array.isArray(second) ? second : []);
    const { application_name } = (this as unknown as { connectionParameters: Parameters }).connectionParameters;
    const applied = settingsIn(text, given);
    if (applied !== null) optionsOf.set(this, applied);
    const options = optionsOf.get(this) ?? '';
    const pool = poolOf(options);
    const key = `${pool} ${text}`;
    if (application_name === 'ramz' && /^\s*(with|select|insert|update|delete)\b/i.test(text) && !statements.has(key)) {
      statements.set(key, { pool, options, text, values: given });
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  }
  pg.Client.prototype.query = recording as typeof query;
  return {
    statements,
    stop: () => {
      pg.Client.prototype.query = query;
    },
  };
}

/** What the first statement of a session applies (src/db/connections/session.ts), as options of a connection; null for all others. */
function settingsIn(text: string, [names, values]: readonly unknown[]): string | null {
  if (!text.includes('set_config(') || !Array.isArray(names) || !Array.isArray(values)) return null;
  return names.map((name, at) => `-c ${name}=${String(values[at]).replaceAll(' ', '\\ ')}`).join(' ');
}

/** Lanes plan once; lists never sort. */
function poolOf(options: string): Statement['pool'] {
  if (options.includes('force_generic_plan')) return 'lanes';
  return options.includes('enable_sort=off') ? 'lists' : 'pool';
}
