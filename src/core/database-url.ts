// The URL of the database, taken apart: its hosts, which of them is wanted, and the session settings that it names. Settings are not left in
// the URL, because a connection pooler drops or refuses what comes with the connection: they are applied once it is made.

/** A session setting of Postgres and its value, in the order they are applied: the later one wins. */
export type SessionSetting = readonly [name: string, value: string];

export interface DatabaseAddress {
  /** One URL a host, in the order they are tried; everything but the host is the same in all. */
  hosts: readonly string[];
  /** `read-write`: a host that takes no changes (a standby) is passed over. */
  wants: 'any' | 'read-write';
  /** What the operator gave, as `?options=` or by name. */
  settings: readonly SessionSetting[];
}

export type ParsedDatabaseUrl = { kind: 'ok'; address: DatabaseAddress } | { kind: 'invalid'; message: string };

/** Scheme, user and password, hosts, database, query. */
const form = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/i;
const host = /^(?:\[[0-9a-f:.%]+\]|[^[\]:,\s]*)(?::\d{1,5})?$/i;

/** Settings that may be given by name in the query, as node-postgres takes them. */
const named = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/** @param options those of the environment (PGOPTIONS), where the URL has none. Messages never repeat the URL: it holds a password. */
export function parseDatabaseUrl(url: string, options = ''): ParsedDatabaseUrl {
  const parts = form.exec(url);
  const [, scheme = '', user = '', hostList = '', path = ''] = parts ?? [];
  const names = hostList.split(',');
  if (!parts || !names.every((name) => host.test(name))) {
    return invalid('must be postgres://user:password@host:port/database; several hosts are separated by commas');
  }
  if (names.length > 1 && names.includes('')) return invalid('has an empty name among its hosts');
  const query = new URLSearchParams(parts[5] ?? '');
  if (query.get('host')?.includes(',')) return invalid('must name several hosts before the path, not as ?host=');

  const wants = query.get('target_session_attrs') ?? (names.length > 1 ? 'read-write' : 'any');
  if (wants !== 'any' && wants !== 'read-write' && wants !== 'primary') {
    return invalid('has a target_session_attrs other than read-write, primary and any: the service writes');
  }
  const own = parseOptions(query.get('options') ?? options);
  if (own === null) return invalid('has options other than -c name=value: they can not be set after connecting');
  const byName = named.flatMap((name): SessionSetting[] => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  for (const name of ['target_session_attrs', 'options', ...named]) query.delete(name);
  const rest = query.size > 0 ? `?${query}` : '';
  return {
    kind: 'ok',
    address: {
      hosts: names.map((name) => `${scheme}${user}${name}${path}${rest}`),
      wants: wants === 'any' ? 'any' : 'read-write',
      settings: [...byName, ...own],
    },
  };
}

const invalid = (message: string): ParsedDatabaseUrl => ({ kind: 'invalid', message });

/** `-c name=value`, `-cname=value` and `--name=value`; a backslash keeps a space in a value. Null for anything else. */
function parseOptions(text: string): SessionSetting[] | null {
  const words = text.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const settings: SessionSetting[] = [];
  for (let at = 0; at < words.length; at += 1) {
    let word = words[at] ?? '';
    if (word === '-c') {
      at += 1;
      word = `-c${words[at] ?? ''}`;
    }
    const found = /^(?:-c|--)([\w.-]+)=(.*)$/s.exec(word.replace(/\\(.)/gs, '$1'));
    if (!found) return null;
    settings.push([(found[1] ?? '').replaceAll('-', '_'), found[2] ?? '']);
  }
  return settings;
}
