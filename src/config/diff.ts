// The changes of a reload (SIGHUP): binds that must be made again, binds that stay up, and settings that only a restart can change. A
// bind that stays up loses no message, so only changes of its connection make it again.

import { isDeepStrictEqual } from 'node:util';
import type { Config, OperatorConfig, TrunkConfig, VoiceConfig } from './file.ts';

export interface OperatorChange {
  id: string;
  /** `rebind`: the connections themselves change. `settings`: everything else; live binds stay and follow the new value. */
  kind: 'added' | 'removed' | 'rebind' | 'settings';
}

export interface TrunkChange {
  name: string;
  /** `reconnect`: calls go on over the old signalling, new ones go out by new. `settings`: everything else, which holds for the next call. */
  kind: 'added' | 'removed' | 'reconnect' | 'settings';
}

export interface ConfigDiff {
  changedOperators: OperatorChange[];
  /** Ids of operators that nothing happens to. */
  unchangedOperators: string[];
  /** Trunks of the voice call; those that nothing happens to are left out. */
  changedTrunks: TrunkChange[];
  /** Settings that differ but keep their old value until a restart, e.g. `PORT`. Empty = the reload takes in everything. */
  restartNeeded: string[];
}

/** Settings a bind is made with: another value means another connection. */
const connectionSettings = [
  'binds',
  'window',
  'responseTimeoutMs',
  'enquireLinkIdleSeconds',
  'enquireLinkMisses',
  'submitMisses',
  'reconnect',
] as const satisfies readonly (keyof OperatorConfig)[];

/** Settings of a trunk that its signalling is made with. */
const signallingSettings = [
  'address',
  'alsoFrom',
  'transport',
  'tls',
  'domain',
  'local',
  'advertise',
] as const satisfies readonly (keyof TrunkConfig)[];

/** The key ring is read again (engine/secrets). */
const variables: Record<Exclude<keyof Config['server'], 'keyRing'>, string> = {
  host: 'HOST',
  port: 'PORT',
  grpcPort: 'GRPC_PORT',
  allowPlaintext: 'RAMZ_ALLOW_PLAINTEXT',
  reflection: 'RAMZ_REFLECTION',
  metrics: 'METRICS_*',
  peerHost: 'PEER_HOST',
  peerPort: 'PEER_PORT',
  dataDirectory: 'RAMZ_DATA',
  databaseUrl: 'DATABASE_URL',
  cells: 'DATABASE_CELLS',
  pools: 'DATABASE_POOL_*',
  migrate: 'RAMZ_MIGRATE',
  drainSeconds: 'RAMZ_DRAIN_SECONDS',
  logLevel: 'LOG_LEVEL',
  openRegistration: 'RAMZ_OPEN_REGISTRATION',
  adminTokenHash: 'RAMZ_ADMIN_TOKEN',
  sandboxKey: 'RAMZ_SANDBOX_KEY',
  liveKeyPrefix: 'API_KEY_LIVE_PREFIX',
  testKeyPrefix: 'API_KEY_TEST_PREFIX',
  httpTls: 'HTTP_TLS_CERT',
  grpcTls: 'GRPC_TLS_CERT',
};

/**
 * Compares the configuration in force with one just loaded. Operators are the same when their ids are; their order means nothing.
 */
export function diffConfig(old: Config, next: Config): ConfigDiff {
  const diff: ConfigDiff = {
    changedOperators: [],
    unchangedOperators: [],
    changedTrunks: trunkChanges(old.voice?.trunks ?? [], next.voice?.trunks ?? []),
    restartNeeded: restartNeeded(old, next),
  };
  const before = new Map(old.operators.map((operator) => [operator.id, operator]));
  for (const operator of next.operators) {
    const kind = changeOf(before.get(operator.id), operator);
    before.delete(operator.id);
    if (kind) diff.changedOperators.push({ id: operator.id, kind });
    else diff.unchangedOperators.push(operator.id);
  }
  for (const id of before.keys()) diff.changedOperators.push({ id, kind: 'removed' });
  return diff;
}

function changeOf(old: OperatorConfig | undefined, next: OperatorConfig): OperatorChange['kind'] | undefined {
  if (!old) return 'added';
  if (connectionSettings.some((name) => !isDeepStrictEqual(old[name], next[name]))) return 'rebind';
  return isDeepStrictEqual(old, next) ? undefined : 'settings';
}

/** Changes of trunks, in the order of the next configuration; removed trunks come last. */
function trunkChanges(old: readonly TrunkConfig[], next: readonly TrunkConfig[]): TrunkChange[] {
  const before = new Map(old.map((trunk) => [trunk.name, trunk]));
  const kept = next.flatMap((trunk): TrunkChange[] => {
    const was = before.get(trunk.name);
    before.delete(trunk.name);
    if (!was) return [{ name: trunk.name, kind: 'added' }];
    if (isDeepStrictEqual(was, trunk)) return [];
    const isOther = signallingSettings.some((name) => !isDeepStrictEqual(was[name], trunk[name]));
    return [{ name: trunk.name, kind: isOther ? 'reconnect' : 'settings' }];
  });
  return [...kept, ...[...before.keys()].map((name): TrunkChange => ({ name, kind: 'removed' }))];
}

/** The environment, the sandbox's switch (a live service must not become one by a signal), and what delivers webhooks. */
function restartNeeded(old: Config, next: Config): string[] {
  const keys = Object.keys(variables) as (keyof typeof variables)[];
  const paths = keys.filter((key) => !takenOver(key, old.server, next.server)).map((key) => variables[key]);
  if (old.sandbox !== next.sandbox) paths.push('sandbox');
  if (old.scenarioPrefix !== next.scenarioPrefix) paths.push('scenario_prefix');
  if (!isDeepStrictEqual(old.webhooks, next.webhooks)) paths.push('webhooks');
  return paths;
}

/** Nothing differs, or nothing but the certificate of a port that has one: that is renewed while the port is open. */
function takenOver(key: keyof typeof variables, old: Config['server'], next: Config['server']): boolean {
  if (key === 'httpTls' || key === 'grpcTls') return (old[key] === null) === (next[key] === null);
  // The map's ranges are private to it: they would not be compared.
  if (key === 'cells') return isDeepStrictEqual(plainCells(old), plainCells(next));
  return isDeepStrictEqual(old[key], next[key]);
}

const plainCells = ({ cells }: Config['server']) => cells && { ...cells, map: cells.map.epochs };

/** What the sound of calls is made of. */
export type Sound = Pick<VoiceConfig, 'media' | 'prompts'>;

/** The media's thread and the recordings are made once: other ones need a restart. */
export function soundChanges(made: Sound, next: Sound): string[] {
  return (['media', 'prompts'] as const)
    .filter((key) => !isDeepStrictEqual(made[key], next[key]))
    .map((key) => `voice.${key}`);
}
