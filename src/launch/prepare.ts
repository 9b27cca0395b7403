// The setup of `npm start`, before and after the server is there: the database, an account with wide
// limits, and webhook endpoints that point at the sandbox. Each step finds what an earlier start left, and keeps it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadDatabases } from '../config.ts';
import { systemActor } from '../core/accounts/actor.ts';
import { defaultKeyPrefixes, type KeyPrefixes, parseKey } from '../core/accounts/api-key.ts';
import { idSource } from '../core/ids.ts';
import { guardRules, type RuleModes } from '../core/limits/verdict.ts';
import { Refused } from '../core/refused.ts';
import { parseKeyRing } from '../core/secrets/key-ring.ts';
import { type FoundApiKey, findApiKeys } from '../db/accounts/api-keys.ts';
import { approveOwn } from '../db/accounts/autofill.ts';
import { changeLimits, findAccountRow } from '../db/accounts/control.ts';
import { createDatabase, type Database } from '../db/client.ts';
import { leftovers, startEmbedded } from '../db/embedded.ts';
import { prepareSchema } from '../db/migrate.ts';
import type { Schema } from '../db/schema.ts';
import { requiredKeys, usableKeys } from '../db/secrets/required-keys.ts';
import { Accounts } from '../engine/accounts/accounts.ts';
import type { Files, SandboxState } from './files.ts';

export interface LaunchedDatabase {
  url: string;
  /** Those beside it that sessions are in. */
  cells?: readonly string[];
  /** As in `Embedded`; absent where the database is one of your own. */
  lost?: Promise<void>;
  stop(): Promise<unknown>;
}

/** Shown of databases that are left: the addresses of what starts come right after them. */
const mostLost = 3;

export async function startDatabase(
  env: NodeJS.ProcessEnv,
  files: Files,
  say: (line: string) => void,
): Promise<LaunchedDatabase> {
  const { value, errors } = loadDatabases({ env, readFile: (path) => readFileSync(path, 'utf8') });
  const [problem] = errors;
  if (problem) throw new Refused(`${problem.path}: ${problem.message}`);
  if (value?.home) return { url: value.home, cells: [...(value.cells?.urls.values() ?? [])], stop: async () => {} };
  const lost = leftovers().filter(({ running }) => !running);
  if (lost.length > 0) {
    const shown = lost.slice(0, mostLost).map(({ place, dataDir }) => `  ${place}, of ${dataDir}`);
    const more = lost.length > mostLost ? [`  and ${lost.length - mostLost} more`] : [];
    const found = [...shown, ...more].join('\n');
    say(`databases whose checkout is gone; npm run ramz -- destroy --gone asks for each and removes it:\n${found}`);
  }
  return startEmbedded({ dataDir: files.path('postgres'), warn: say });
}

export type Prepared =
  | { kind: 'prepared'; state: SandboxState }
  /** `reason`: for the person who starts it. */
  | { kind: 'refused'; reason: string };

/** Of the keys that the server takes, which has the same environment and says what is wrong with it. */
export const keyPrefixes = ({ API_KEY_LIVE_PREFIX, API_KEY_TEST_PREFIX }: NodeJS.ProcessEnv): KeyPrefixes => ({
  livePrefix: API_KEY_LIVE_PREFIX || defaultKeyPrefixes.livePrefix,
  testPrefix: API_KEY_TEST_PREFIX || defaultKeyPrefixes.testPrefix,
});

/** The account of an earlier start where its keys still work, else a new one: it may be loaded as hard as one likes. */
export async function prepareAccount(
  { url, cells = [] }: Pick<LaunchedDatabase, 'url' | 'cells'>,
  keyRingPath: string,
  state: SandboxState,
  prefixes: KeyPrefixes = defaultKeyPrefixes,
): Promise<Prepared> {
  const parsed = parseKeyRing(readFileSync(keyRingPath, 'utf8'));
  if (parsed.kind === 'invalid') throw new Error(`${keyRingPath}: ${parsed.errors.join('; ')}`);
  for (const each of [url, ...cells]) {
    const schema = await prepareSchema(each, { migrate: true });
    if (schema.kind === 'refused') return schema;
  }
  const [database, ...others] = [url, ...cells].map((each) => createDatabase<Schema>(each, { max: 2, lanes: 1 })) as [
    Database<Schema>,
    ...Database<Schema>[],
  ];
  try {
    // Before an account is made with a ring that the server would be refused with.
    const keys = await requiredKeys(
      { home: database.lanes, cells: [database, ...others].map(({ lanes }) => lanes) },
      parsed.ring,
    );
    if (keys.kind === 'missing') return { kind: 'refused', reason: keys.reason };
    if (state.accountId && (await isUsable(database.db, state.accountId, state, prefixes))) {
      await approveOwn(database.db, state.accountId);
      await watchOwn(database.db, state.accountId);
      return { kind: 'prepared', state };
    }
    const usable = await usableKeys(database.lanes, parsed.ring);
    if (usable.kind === 'missing') return { kind: 'refused', reason: usable.reason };
    const ids = idSource({ now: Date.now, randomBytes });
    const context = { db: database.db, ids, ring: parsed.ring, prefixes, now: Date.now };
    const accounts = new Accounts({ ...context, settings: { operators: [] } });
    const limits = { sends_per_second: 100_000, unlimited_numbers: true, rules: watched, budget: 'none' as const };
    const { id, liveKey, testKey } = await accounts.create({ name: 'Sandbox', language: 'fr', limits, actor: starter });
    await approveOwn(database.db, id);
    const made = { adminToken: state.adminToken, accountId: id, apiKey: liveKey.key, testKey: testKey.key };
    return { kind: 'prepared', state: made };
  } finally {
    await Promise.all([database, ...others].map((each) => each.close()));
  }
}

const starter = systemActor('npm start');

/** Nothing that a developer tries out is refused by a rule against abuse: the timeline says what would have been. */
const watched = Object.fromEntries(guardRules.map((rule) => [rule, 'monitor'])) as RuleModes;

/** The account of a start before there were such rules. Modes that were set since then stay. */
async function watchOwn(db: Database<Schema>['db'], accountId: string): Promise<void> {
  const { rules, budget } = (await findAccountRow(db, accountId))?.limits ?? {};
  if (rules && budget !== undefined) return;
  const change = {
    ...(rules ? {} : { rules: watched }),
    ...(budget === undefined ? { budget: ['none'] as const } : {}),
  };
  await changeLimits(db, { id: accountId, now: new Date(), actor: starter }, { reset: false, change });
}

/** A developer who tries out `suspend` or `key revoke --all` on the account must not be left without a start. */
async function isUsable(
  db: ReturnType<typeof createDatabase<Schema>>['db'],
  accountId: string,
  { apiKey = '', testKey = '' }: SandboxState,
  prefixes: KeyPrefixes,
): Promise<boolean> {
  const ids = [apiKey, testKey]
    .map((key) => parseKey(key, prefixes))
    .flatMap((key) => (key.kind === 'ok' ? [key.id] : []));
  const keys = await findApiKeys(db, ids);
  const works = (key: FoundApiKey) => key.account_id === accountId && !key.suspended_at && !key.revoked_at;
  return keys.filter(works).length === 2;
}

interface Endpoint {
  id: string;
  url: string;
  description: string;
  secret: string;
  enabled: boolean;
  disabled_reason: string;
}

/** Tells the sandbox's endpoints from a developer's where no id is kept. */
const description = 'the sandbox';

/** One endpoint per mode at the sandbox's sink, by the public API; `keep` stores their ids, and the secrets, which are shown only once. */
export async function prepareEndpoints(
  http: string,
  ready: { http: string; webhookUrl: string },
  state: SandboxState,
  keep: (state: SandboxState) => void,
): Promise<void> {
  const { webhookUrl: url } = ready;
  const prepare = async (key: string | undefined, index: number): Promise<Pick<Endpoint, 'id' | 'secret'>> => {
    const call = caller(http, key ?? '');
    const [keptId, secret] = [state.webhookIds?.[index], state.webhookSecrets?.[index]];
    type Endpoints = { webhook_endpoints: Endpoint[] };
    const { webhook_endpoints: endpoints } = await call<Endpoints>('GET', '/v1/webhook_endpoints?page_size=100');
    const isOurs = (each: Endpoint) => (keptId ? each.id === keptId : each.description === description);
    const old = endpoints.find(isOurs);
    if (!old || !secret) return call<Endpoint>('POST', '/v1/webhook_endpoints', { url, description });
    // The service has switched it off, as after the order to answer 410: nothing else would ever switch it on again.
    const isLost = !old.enabled && old.disabled_reason !== 'by_client';
    if (old.url !== url || isLost)
      await call('PATCH', `/v1/webhook_endpoints/${old.id}`, { url, ...(isLost ? { enabled: true } : {}) });
    return { id: old.id, secret };
  };
  const endpoints = await Promise.all([state.apiKey, state.testKey].map(prepare));
  const secrets = endpoints.map(({ secret }) => secret);
  keep({ ...state, webhookIds: endpoints.map(({ id }) => id), webhookSecrets: secrets });
  await caller(ready.http, '')('POST', '/sandbox/secrets', { secrets });
}

interface Sender {
  id: string;
  name: string;
  decisions: { operator: string; status: string }[];
}

/** The sender name, the site and the app of the contract's examples. */
const examples = {
  sender: 'MyShop',
  autofill: {
    web_origins: ['https://shop.example'],
    android_apps: [{ package_name: 'com.example.shop', app_hash: 'FA+9qCX9VSu' }],
  },
};

/** Makes the examples of the contract work in both modes: the sender name approved by every operator, site and app registered. */
export async function prepareExamples(http: string, { apiKey, testKey, adminToken }: SandboxState): Promise<void> {
  const decide = caller(http, adminToken);
  const prepare = async (key: string | undefined) => {
    const call = caller(http, key ?? '');
    const { sender_ids: senders } = await call<{ sender_ids: Sender[] }>('GET', '/v1/sender_ids?page_size=100');
    const sender =
      senders.find(({ name }) => name === examples.sender) ??
      (await call<Sender>('POST', '/v1/sender_ids', { name: examples.sender }));
    for (const { operator, status } of sender.decisions) {
      if (status === 'submitted')
        await decide('POST', `/v1/sender_ids/${sender.id}/decisions`, { operator, status: 'approved' });
    }
    const { autofill } = await call<{ autofill: { states: unknown[] } }>('GET', '/v1/account');
    if (autofill.states.length === 0) await call('PATCH', '/v1/account', { autofill: examples.autofill });
  };
  await Promise.all([prepare(apiKey), prepare(testKey)]);
}

/** Registers our address for status webhooks at the sandbox's messaging platform, which asks the server for the challenge first. */
export async function prepareMessaging(http: string, sandbox: string): Promise<void> {
  const order = { action: 'messaging_callback', url: `${http}/v1/callbacks/messaging` };
  await caller(sandbox, '')('POST', '/sandbox/control', order);
}

/** What the phones page shows sessions of. */
export interface AnnouncedService {
  http: string;
  grpc: string;
  api_key: string;
}

/** Says where the server is, at each of its starts; null = gone. */
export async function announceService(sandbox: string, service: AnnouncedService | null): Promise<void> {
  await caller(sandbox, '')('POST', '/sandbox/service', service);
}

/** Longer than a machine pauses, shorter than a person waits for a start without progress. */
const patienceMs = 60_000;

function caller(base: string, key: string) {
  return async <T>(method: string, path: string, body?: object | null): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const ask = () =>
      fetch(base + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const startedAt = performance.now();
    let response = await ask();
    // Not now: a database that has just started on a busy machine may be slower than a call waits for it.
    while (response.status === 503 && performance.now() - startedAt < patienceMs) {
      await response.body?.cancel();
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
      response = await ask();
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : {}) as T;
  };
}
