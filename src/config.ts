// Configuration: environment and file become one typed value, or the list of everything that is wrong with them. This is the entry
// of src/config/; nothing else imports from inside it. core and smpp take plain values and never import this.

import { z } from 'zod';
import { crosscheck } from './config/crosscheck.ts';
import type { SecretSource } from './config/fields.ts';
import { type Config, type FileConfig, fileSchema, type LoadedConfig } from './config/file.ts';
import {
  type ConfigProblem,
  type ConfigSources,
  type Findings,
  fileText,
  type Loaded,
  problemsOf,
  twiceIn,
  wording,
} from './config/problem.ts';
import { loadServer, type ServerConfig } from './config/server.ts';
import { retentionDaysSchema } from './config/service.ts';
import type { KeyPurpose } from './core/secrets/key-ring.ts';

export { type CellsConfig, loadDatabases } from './config/databases.ts';
export { type ConfigDiff, diffConfig, type Sound, soundChanges } from './config/diff.ts';
export type * from './config/file.ts';
export { type KeyRingPlace, keyRingText, loadKeyRing, purposeFile } from './config/key-ring.ts';
export type { ConfigProblem, ConfigSources } from './config/problem.ts';

/**
 * Reads the environment and the file named by RAMZ_CONFIG. All errors are returned at once, each with its path; a secret
 * that is missing is one of them. Relative paths are relative to the working directory. Never throws.
 * @param now Unix ms: a rate card that begins later has no price yet
 */
export function loadConfig(sources: ConfigSources, now = Date.now()): LoadedConfig {
  const server = loadServer(sources);
  const file = loadFile(sources, now);
  const errors = [...server.errors, ...file.errors];
  if (errors.length > 0 || !server.value || !file.value) return { kind: 'invalid', errors };

  const { $schema: _, scenarioPrefix, ...settings } = file.value;
  const firstPrefix = settings.operators[0]?.prefixes[0] ?? null;
  const { value, warnings } = withoutStrayKey(server.value, settings.sandbox);
  const config = { server: value, ...settings, scenarioPrefix: scenarioPrefix ?? firstPrefix };
  return { kind: 'ok', config, warnings: [...warnings, ...lackedKeys(config), ...file.warnings] };
}

/**
 * `service.retention_days` alone, for a program that makes partitions and needs no other setting: where it runs, the secrets of the others may
 * be missing.
 */
export function loadRetentionDays(sources: ConfigSources): Loaded<number> {
  const { value, errors } = readJson(sources);
  if (errors.length > 0) return { errors };
  const parsed = retentionSchema.safeParse(value, { error: wording });
  return parsed.success
    ? { value: parsed.data.service.retention_days, errors }
    : { errors: fileProblems(parsed.error.issues) };
}

const retentionSchema = z.object({
  service: z.object({ retention_days: retentionDaysSchema }).prefault({}),
});

/** A key on a page is for a service that reaches no real phone; one that was left in the environment of another is not shown. */
function withoutStrayKey(server: ServerConfig, sandbox: boolean): { value: ServerConfig; warnings: ConfigProblem[] } {
  if (sandbox || server.sandboxKey === null) return { value: server, warnings: [] };
  const message = 'is ignored: only a service with "sandbox": true shows a key';
  return { value: { ...server, sandboxKey: null }, warnings: [{ path: 'RAMZ_SANDBOX_KEY', message }] };
}

/** What the ring was to have a key for. A reload may bring the setting, or a ring with the key. */
function lackedKeys({ server: { keyRing }, verify, messaging }: Config): ConfigProblem[] {
  const lacks = (purpose: KeyPurpose, wanted: boolean, effect: string): ConfigProblem[] =>
    !wanted || keyRing.has(purpose) ? [] : [{ path: 'RAMZ_KEY_RING', message: `has no ${purpose} key: ${effect}` }];
  return [
    ...lacks('custom_code', verify.allowCustomCode, 'verify.allow_custom_code has no effect'),
    ...lacks('waba_secret', messaging !== null, 'no WhatsApp account can be linked'),
  ];
}

function loadFile(sources: ConfigSources, now: number): Loaded<FileConfig> & Findings {
  const raw = readJson(sources);
  if (raw.errors.length > 0) return { errors: raw.errors, warnings: [] };
  const parsed = fileSchema(secretsOf(sources)).safeParse(raw.value, { error: wording });
  if (!parsed.success) return { errors: fileProblems(parsed.error.issues), warnings: [] };
  const findings = crosscheck(parsed.data, now);
  return findings.errors.length > 0 ? findings : { ...findings, value: parsed.data };
}

/** A file that holds something else than an object has no path in it to name. */
const fileProblems = (issues: Parameters<typeof problemsOf>[0]): ConfigProblem[] =>
  problemsOf(issues).map(({ path, message }) => ({ path: path || 'RAMZ_CONFIG', message }));

function readJson({ env, readFile }: ConfigSources): Loaded<unknown> {
  const { RAMZ_CONFIG: path } = env;
  if (!path) return { value: {}, errors: [] };
  const failed = (message: string) => ({ errors: [{ path: 'RAMZ_CONFIG', message }] });
  let text: string;
  try {
    text = fileText(readFile, path);
  } catch (error) {
    return failed(`${path} cannot be read: ${codeOf(error)}`);
  }
  try {
    return { value: JSON.parse(text), errors: twiceIn(text) };
  } catch (error) {
    // The parser's message quotes the text around the fault, and that may be a password: only the place is printed.
    const place = /line \d+ column \d+/.exec(String(error))?.[0];
    return failed(`${path} is not valid JSON${place ? ` (${place})` : ''}`);
  }
}

function secretsOf({ env, readFile }: ConfigSources): SecretSource {
  return {
    variable: (name) => env[name],
    file: (path) => {
      try {
        return fileText(readFile, path).trimEnd();
      } catch {
        return undefined;
      }
    },
  };
}

/** `ENOENT` and its kind; they say enough, and the whole message would repeat the path. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}
