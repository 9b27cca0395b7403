// A pg client that prepares each statement once per connection, under a name made from its text.
// Kysely never names statements; unnamed ones are parsed and planned at every call.
import { createHash } from 'node:crypto';
import pg from 'pg';

/** Beyond this many texts (lists of varying length written out as `$1, $2, …`) a statement stays unnamed. */
const MAX_NAMES = 1000;

const names = new Map<string, string>();

export class NamingClient extends pg.Client {
  // The signature pg-pool and Kysely call with; pg's own has a dozen overloads.
  // biome-ignore lint/suspicious/noExplicitAny: passes on whatever pg's overloads take and give.
  override query(query: any, values?: any, callback?: any): any {
    // Without parameters (begin, commit, migrations) the simple protocol saves a round trip and takes several statements.
    const nameable = typeof query === 'string' && Array.isArray(values) && values.length > 0;
    const name = nameable ? statementName(query) : undefined;
    return super.query(name === undefined ? query : { name, text: query }, values, callback);
  }
}

/** The statement's name (≤ 63 bytes, Postgres' limit for names), or undefined when too many are in use. */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMES) {
    name = createHash('sha256').update(text).digest('base64url');
    names.set(text, name);
  }
  return name;
}
