// What a sample's ids stand for: real things of an account of the language's own, made before the sample is run.

import { readFileSync } from 'node:fs';
import { until } from '../../support/wait.ts';
import { done, env } from '../docs/client.ts';
import type { JsonObject } from '../docs/document.ts';
import { stopped } from '../docs/stop.ts';

const { prefixes } = JSON.parse(readFileSync(env('RAMZ_SANDBOX_FILE'), 'utf8')) as { prefixes: string[] };
let lastNumber = 6_000_000 + Math.floor(Math.random() * 1_000_000);
let lastName = 0;

const admin = env('RAMZ_ADMIN_TOKEN');
const text = (value: unknown): string => String(value);
const newNumber = (): string => `${prefixes[0]}${++lastNumber}`;

/** The key of a new account: what one language links and names is not there yet for the next. */
export async function newKey(name: string): Promise<string> {
  const { json } = await done('createAccount', { key: admin, body: { name } });
  return text((json.live_key as JsonObject).key);
}

/** The sample with what exists in place of the ids and numbers of the contract's examples. */
export async function withThings(key: string, source: string): Promise<string> {
  const made = source.replaceAll('+213550000001', newNumber()).replaceAll('104200000000001', wabaOf(key));
  const [, make] = things.find(([pattern]) => pattern.test(made)) ?? [];
  const ids = Object.entries((await make?.(key)) ?? {});
  return ids.reduce((text, [prefix, id]) => text.replaceAll(new RegExp(`\\b${prefix}_[0-9a-z]{26}\\b`, 'g'), id), made);
}

/** One WhatsApp account is linked to one account of ours. */
const wabaOf = (key: string): string =>
  `1042${[...key].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 1e11, 7)}`;

/** What a sample names → the ids of real ones, by their prefixes. The first that fits: an event goes with its endpoint. */
const things: readonly [RegExp, (key: string) => Promise<Record<string, string>>][] = [
  // Of a session that is over: a sample that watches it ends.
  [/\/events"|\bwatch\(/i, async (key) => ({ vrf: await over(key) })],
  // What an administrator does to an account is done to another one: its keys are revoked, for example.
  [/\badmin\b[\s\S]*\bacct_/i, async () => ({ acct: await anotherAccount() })],
  [
    /\badm_/,
    async () => ({ adm: text((await done('createAdministrator', { key: admin, body: { name: 'Samples' } })).json.id) }),
  ],
  [/\bstop_/, async (key) => ({ stop: text((await stopped(key)).json.id) })],
  [
    /\badmin\b[\s\S]*\blst_/i,
    async () => ({ lst: await idOf('createPlatformEntry', admin, { list: 'block', value: newNumber() }) }),
  ],
  [/\blst_/, async (key) => ({ lst: await idOf('createListEntry', key, { list: 'block', value: newNumber() }) })],
  [/\bvrf_/, async (key) => ({ vrf: await idOf('send', key, { to: newNumber() }) })],
  [/\bkey_/, async (key) => ({ key: await idOf('createApiKey', key, { name: 'samples' }) })],
  [/\bsnd_/, async (key) => ({ snd: await idOf('createSenderId', key, { name: `Shop${++lastName}` }) })],
  [/\bacct_/, async (key) => ({ acct: await idOf('updateAccount', key, { brand: 'My Shop' }) })],
  [/\bevt_/, delivered],
  [/\bwhe_/, async (key) => ({ whe: await endpoint(key) })],
];

const idOf = async (operation: string, key: string, body: JsonObject): Promise<string> =>
  text((await done(operation, { key, body })).json.id);

/** The id of an account that has registered the site of the examples. */
async function anotherAccount(): Promise<string> {
  const { json } = await done('createAccount', { key: admin, body: { name: 'Another' } });
  const key = text((json.live_key as JsonObject).key);
  return idOf('updateAccount', key, { autofill: { web_origins: ['https://shop.example'] } } as never);
}

/** A session that was canceled. */
async function over(key: string): Promise<string> {
  const id = await idOf('send', key, { to: newNumber() });
  await done('cancelSession', { key, path: { id } });
  return id;
}

const endpoint = (key: string): Promise<string> =>
  idOf('createWebhookEndpoint', key, { url: `${env('RAMZ_WEBHOOK_SINK')}/samples` });

/** An endpoint with an event that was delivered to it. */
async function delivered(key: string): Promise<Record<string, string>> {
  const whe = await endpoint(key);
  const session = await done('send', { key, body: { to: newNumber() } });
  await done('cancelSession', { key, path: { id: text(session.json.id) } });
  const look = async () => {
    const { json } = await done('listWebhookDeliveries', { key, path: { id: whe }, query: { page_size: '5' } });
    const [first] = json.deliveries as unknown as JsonObject[];
    return Number(first?.attempts) > 0 ? text(first?.event_id) : undefined;
  };
  const evt = await until(look, { what: 'a delivery', everyMs: 50 });
  return { whe, evt };
}
