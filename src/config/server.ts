// The environment as a ServerConfig: forms checked, files it names read, and the rules between variables.

import { parseKeyRing } from '../core/secrets/key-ring.ts';
import { type Environment, environmentSchema } from './environment.ts';
import type { ConfigProblem, ServerConfig, TlsIdentity } from './file.ts';
import { type ConfigSources, type Loaded, problemsOf, wording } from './problem.ts';

export function loadServer({ env, readFile }: ConfigSources): Loaded<ServerConfig> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given, { error: wording });
  if (!parsed.success) return { errors: problemsOf(parsed.error.issues) };

  const errors: ConfigProblem[] = [];
  const variables = parsed.data;
  const read = (variable: keyof Environment, path: string): string => {
    try {
      const text = readFile(path);
      if (text.trim() !== '') return text;
    } catch {
      // reported below, in the same words: what matters is that nothing was read
    }
    errors.push({ path: variable, message: `${path} cannot be read or is empty` });
    return '';
  };

  const keyRingJson = keyRing(variables, read, errors);
  const httpTls = identity(variables, 'HTTP_TLS_CERT', 'HTTP_TLS_KEY', read, errors);
  const grpcTls = identity(variables, 'GRPC_TLS_CERT', 'GRPC_TLS_KEY', read, errors);
  checkPrefixes(variables, errors);
  if (errors.length > 0) return { errors };

  const value = {
    host: variables.HOST,
    port: variables.PORT,
    grpcPort: variables.GRPC_PORT,
    dataDirectory: variables.RAMZ_DATA,
    databaseUrl: variables.DATABASE_URL ?? null,
    migrate: variables.RAMZ_MIGRATE === 'on',
    drainSeconds: variables.RAMZ_DRAIN_SECONDS,
    logLevel: variables.LOG_LEVEL,
    openRegistration: variables.RAMZ_OPEN_REGISTRATION,
    adminToken: variables.RAMZ_ADMIN_TOKEN ?? null,
    liveKeyPrefix: variables.API_KEY_LIVE_PREFIX,
    testKeyPrefix: variables.API_KEY_TEST_PREFIX,
    keyRingJson,
    httpTls,
    grpcTls,
  };
  return { value, errors };
}

type Read = (variable: keyof Environment, path: string) => string;

/** Without keys nothing can be signed, derived or checked, so a start without them fails. */
function keyRing({ RAMZ_KEY_RING, RAMZ_KEYS }: Environment, read: Read, errors: ConfigProblem[]): string {
  if (RAMZ_KEY_RING && RAMZ_KEYS) {
    errors.push({ path: 'RAMZ_KEYS', message: 'is set beside RAMZ_KEY_RING: only one of them can be the key ring' });
    return '';
  }
  const variable = RAMZ_KEYS ? 'RAMZ_KEYS' : 'RAMZ_KEY_RING';
  if (!RAMZ_KEYS && !RAMZ_KEY_RING) {
    errors.push({
      path: variable,
      message: 'is missing: set it to the path of the key ring, or RAMZ_KEYS to its JSON',
    });
    return '';
  }
  const json = RAMZ_KEYS ?? (RAMZ_KEY_RING ? read('RAMZ_KEY_RING', RAMZ_KEY_RING) : '');
  const parsed = json === '' ? undefined : parseKeyRing(json);
  if (parsed?.kind === 'invalid') errors.push(...parsed.errors.map((message) => ({ path: variable, message })));
  return json;
}

type TlsVariable = 'HTTP_TLS_CERT' | 'HTTP_TLS_KEY' | 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY';

function identity(
  variables: Environment,
  certVariable: TlsVariable,
  keyVariable: TlsVariable,
  read: Read,
  errors: ConfigProblem[],
): TlsIdentity | null {
  const cert = variables[certVariable];
  const key = variables[keyVariable];
  if (cert && key) return { cert: read(certVariable, cert), key: read(keyVariable, key) };
  // Half a pair must not quietly mean plain text.
  if (cert) errors.push({ path: keyVariable, message: `is missing beside ${certVariable}` });
  if (key) errors.push({ path: certVariable, message: `is missing beside ${keyVariable}` });
  return null;
}

/** The prefix alone decides a key's mode, so no key may begin with both. */
function checkPrefixes({ API_KEY_LIVE_PREFIX, API_KEY_TEST_PREFIX }: Environment, errors: ConfigProblem[]): void {
  if (API_KEY_LIVE_PREFIX.startsWith(API_KEY_TEST_PREFIX) || API_KEY_TEST_PREFIX.startsWith(API_KEY_LIVE_PREFIX)) {
    errors.push({ path: 'API_KEY_TEST_PREFIX', message: 'one of the two key prefixes is the beginning of the other' });
  }
}
