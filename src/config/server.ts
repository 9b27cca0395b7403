// The environment as a ServerConfig: the variables with their forms and defaults, the files they name, and the rules between them. An
// empty variable counts as unset, as container tools set them so.

import { z } from 'zod';
import { tokenHash } from '../core/accounts/api-key.ts';
import type { KeyRing } from '../core/secrets/key-ring.ts';
import { type CellsConfig, databaseUrl, readCells } from './databases.ts';
import { defaults } from './defaults.ts';
import { booleanText, type Doors, doorVariables, portText, readDoors, tokenText } from './doors.ts';
import { loadKeyRing } from './key-ring.ts';
import { type ConfigProblem, type ConfigSources, fileText, type Loaded, problemsOf, wording } from './problem.ts';
import { withSecretFiles } from './secret-files.ts';

const d = defaults.environment;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What other processes can connect to: none of them could reach "every address". */
const reachableHost = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9A-Fa-f:.]+$/, 'must be an address or a host name')
  .refine(
    (host) => !['0.0.0.0', '::', '0'].includes(host),
    'must be the address that other processes reach this one at',
  );

const secondsText = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number of seconds')
  .transform(Number)
  .refine((seconds) => seconds <= 300, 'must be at most 300');

const connectionsText = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number of connections')
    .transform(Number)
    .refine((count) => count >= least && count <= most, `must be ${least} to ${most}`);

const keyPrefix = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, 'must be 1-32 letters, digits, _ and -, beginning with a letter');

const path = z.string();

export const environmentSchema = z.object({
  ...doorVariables,
  PEER_HOST: reachableHost
    .default(d.PEER_HOST)
    .describe(
      'Address that the peer port listens on, and that the other processes on this database connect to: the address of this host or container.',
    ),
  PEER_PORT: portText
    .optional()
    .describe(
      'Port for the other processes on this database ([scale.md](scale.md)). 0 = any free one; unset = processes do not talk, and each does its work directly.',
    ),
  RAMZ_DATA: path.default(d.RAMZ_DATA).describe('Directory of what the service itself stores.'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'The Postgres to use, 15 to 18; unset = an embedded one in `RAMZ_DATA`. Several hosts are separated by commas, and the one that takes changes is used. [Database](database.md) has its forms.',
    ),
  DATABASE_URL_FILE: path
    .optional()
    .describe('Path of a file with it instead, which keeps the password out of the environment.'),
  DATABASE_CELLS: z
    .string()
    .optional()
    .describe(
      'Further databases that sessions are in, and which shards from when on, as JSON ([Cells](scale.md#cells)); unset = all is in one database.',
    ),
  DATABASE_CELLS_FILE: path
    .optional()
    .describe('Path of a file with it instead, which keeps the passwords out of the environment.'),
  DATABASE_POOL_LANES: connectionsText(2, 64)
    .default(d.DATABASE_POOL_LANES)
    .describe('Connections of this process for sends, checks and receipts. 2 to 64.'),
  DATABASE_POOL_CALLS: connectionsText(2, 64)
    .default(d.DATABASE_POOL_CALLS)
    .describe(`Connections for all other calls and background work. 2 to 64.`),
  DATABASE_POOL_LISTS: connectionsText(1, 32)
    .default(d.DATABASE_POOL_LISTS)
    .describe(
      'Connections for lists. 1 to 32. A process takes six more beside these three, for its lease, authentication and notices: with the defaults 22 altogether, for each cell.',
    ),
  RAMZ_MIGRATE: z
    .enum(['on', 'off'])
    .default(d.RAMZ_MIGRATE)
    .describe(
      '`on`: a start brings the database up to this version. `off`: a start changes nothing, and ends if the database is older: run `npm run migrate` first.',
    ),
  RAMZ_CONFIG: path.optional().describe('Path of the configuration file; unset = every default, and no operator.'),
  RAMZ_KEY_RING: path
    .optional()
    .describe(
      'Path of the [key ring](service-keys.md), a file, or a folder with a file for each purpose (`code.json`, …); `npm run --silent ramz -- keys new` makes one. It or `RAMZ_KEYS` must be set: there is no start without keys.',
    ),
  RAMZ_KEYS: z
    .string()
    .optional()
    .describe(
      'The key ring itself, as JSON. It can be read where an environment can (`docker inspect`), and changes with a restart only.',
    ),
  RAMZ_ADMIN_TOKEN: tokenText
    .optional()
    .describe(
      "Bearer token of the first administrator, which has every scope ([administration.md](administration.md)): at least 16 printable characters without spaces. Unset = administrators' own tokens alone.",
    ),
  RAMZ_ADMIN_TOKEN_FILE: path.optional().describe('Path of a file with it instead.'),
  RAMZ_SANDBOX_KEY: z
    .string()
    .regex(/^[!-~]+$/, 'must be printable ASCII without spaces')
    .optional()
    .describe(
      'API key that `/docs` fills in for trying calls, where the browser is on this machine. Only beside `"sandbox": true` in the file, else it is ignored with a warning.',
    ),
  RAMZ_OPEN_REGISTRATION: booleanText
    .default(d.RAMZ_OPEN_REGISTRATION)
    .describe(
      '`true` lets anyone create an account. Its live key works once you approve it: `npm run account -- approve <account id>`.',
    ),
  API_KEY_LIVE_PREFIX: keyPrefix.default(d.API_KEY_LIVE_PREFIX).describe('How live API keys begin.'),
  API_KEY_TEST_PREFIX: keyPrefix.default(d.API_KEY_TEST_PREFIX).describe('How test API keys begin.'),
  RAMZ_DRAIN_SECONDS: secondsText
    .default(d.RAMZ_DRAIN_SECONDS)
    .describe(
      'After SIGTERM, how long calls are still taken while `/readyz` and gRPC health say that it is stopping: longer than a load balancer takes to notice. Phone calls that are up by then are hung up. 0 to 300.',
    ),
  LOG_LEVEL: z
    .enum(logLevels)
    .default(d.LOG_LEVEL)
    .describe('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.'),
});

export type Environment = z.output<typeof environmentSchema>;

/** Pino's levels. */
export type LogLevel = (typeof logLevels)[number];

/** The settings of the environment: ports, directories, secrets. Changing any of them needs a restart. */
export interface ServerConfig extends Doors {
  /** The address that the peer port listens on, and that other processes are given. */
  peerHost: string;
  /** For other processes on the same database. 0 = any free port; null = they are not talked to. */
  peerPort: number | null;
  /** Directory of what the service itself stores, the embedded database included. */
  dataDirectory: string;
  /** null = the embedded Postgres in `dataDirectory`. */
  databaseUrl: string | null;
  /** null = all is in one database. */
  cells: CellsConfig | null;
  /** Most connections to each database, by what they are for. */
  pools: { lanes: number; calls: number; lists: number };
  /** Whether a start brings the database up to this version. */
  migrate: boolean;
  /** How long calls are still taken once the process says that it is stopping. */
  drainSeconds: number;
  logLevel: LogLevel;
  /** True = anyone may create an account. */
  openRegistration: boolean;
  /** null = no call passes as administrator. */
  adminTokenHash: Buffer | null;
  /** API key that `/docs` fills in; null outside the sandbox, whatever the environment says. */
  sandboxKey: string | null;
  liveKeyPrefix: string;
  testKeyPrefix: string;
  /** As it was at the start: what is read again later takes its place in the process (`LiveRing`), not here. */
  keyRing: KeyRing;
}

export function loadServer(sources: ConfigSources): Loaded<ServerConfig> {
  const { readFile } = sources;
  const { given, errors } = withSecretFiles(sources);
  const parsed = environmentSchema.safeParse(given, { error: wording });
  if (!parsed.success) return { errors: [...errors, ...problemsOf(parsed.error.issues)] };

  const variables = parsed.data;
  const read = (variable: keyof Environment, path: string): string => {
    try {
      const text = fileText(readFile, path);
      if (text.trim() !== '') return text;
    } catch {
      // reported below, in the same words: what matters is that nothing was read
    }
    errors.push({ path: variable, message: `${path} cannot be read or is empty` });
    return '';
  };

  const keyRing = loadKeyRing({ env: given, readFile });
  errors.push(...keyRing.errors);
  const doors = readDoors(variables, read, errors);
  checkPrefixes(variables, errors);
  const cells = variables.DATABASE_CELLS ? readCells(variables.DATABASE_CELLS, variables.DATABASE_URL) : null;
  if (cells) errors.push(...cells.errors);
  if (errors.length > 0 || !keyRing.value) return { errors };

  const value = {
    ...doors,
    peerHost: variables.PEER_HOST,
    peerPort: variables.PEER_PORT ?? null,
    dataDirectory: variables.RAMZ_DATA,
    databaseUrl: variables.DATABASE_URL ?? null,
    cells: cells?.value ?? null,
    pools: {
      lanes: variables.DATABASE_POOL_LANES,
      calls: variables.DATABASE_POOL_CALLS,
      lists: variables.DATABASE_POOL_LISTS,
    },
    migrate: variables.RAMZ_MIGRATE === 'on',
    drainSeconds: variables.RAMZ_DRAIN_SECONDS,
    logLevel: variables.LOG_LEVEL,
    openRegistration: variables.RAMZ_OPEN_REGISTRATION,
    // The text itself is not kept: a heap snapshot would show it.
    adminTokenHash: variables.RAMZ_ADMIN_TOKEN ? tokenHash(variables.RAMZ_ADMIN_TOKEN) : null,
    sandboxKey: variables.RAMZ_SANDBOX_KEY ?? null,
    liveKeyPrefix: variables.API_KEY_LIVE_PREFIX,
    testKeyPrefix: variables.API_KEY_TEST_PREFIX,
    keyRing: keyRing.value,
  };
  return { value, errors };
}

/** The prefix alone decides a key's mode, so no key may begin with both. */
function checkPrefixes({ API_KEY_LIVE_PREFIX, API_KEY_TEST_PREFIX }: Environment, errors: ConfigProblem[]): void {
  if (API_KEY_LIVE_PREFIX.startsWith(API_KEY_TEST_PREFIX) || API_KEY_TEST_PREFIX.startsWith(API_KEY_LIVE_PREFIX)) {
    errors.push({ path: 'API_KEY_TEST_PREFIX', message: 'one of the two key prefixes is the beginning of the other' });
  }
}
