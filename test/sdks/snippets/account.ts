// What stands behind the names in a page: an account of its own, fresh numbers, and the addresses of this run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxEnv } from '../../../src/launch/sandbox.ts';
import type { Program } from './blocks.ts';

export interface Account {
  sandbox: string;
  prefixes: readonly string[];
  /** The variables that snippets may use. */
  env(folder: string): Record<string, string>;
}

export interface Stand {
  text: string;
  /** The numbers in it. */
  numbers: string[];
}

/** Pages have accounts of their own, so that a number of one is not pending in another. */
export async function newAccount(name: string): Promise<Account> {
  const { RAMZ_BASE_URL = '', RAMZ_ADMIN_TOKEN = '', RAMZ_SANDBOX_URL = '', RAMZ_SANDBOX_FILE = '' } = process.env;
  const response = await fetch(`${RAMZ_BASE_URL}/v1/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${RAMZ_ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, language: 'en' }),
  });
  if (!response.ok) throw new Error(`no account: ${response.status} ${await response.text()}`);
  const { live_key, test_key } = (await response.json()) as Record<'live_key' | 'test_key', { key: string }>;
  const file = JSON.parse(readFileSync(RAMZ_SANDBOX_FILE, 'utf8')) as { prefixes: string[] };
  return {
    sandbox: RAMZ_SANDBOX_URL,
    prefixes: file.prefixes,
    env: (folder) => {
      // Pages read them as `npm start` leaves them.
      const own = { ...file, api_key: live_key.key, test_key: test_key.key };
      mkdirSync(join(folder, '.data'), { recursive: true });
      writeFileSync(join(folder, '.data', 'sandbox.json'), JSON.stringify(own));
      const account = { accountId: '', adminToken: '', apiKey: live_key.key, testKey: test_key.key };
      writeFileSync(join(folder, '.data', 'sandbox.env'), sandboxEnv({ http: RAMZ_BASE_URL, account }));
      return { RAMZ_API_KEY: live_key.key, RAMZ_TEST_KEY: test_key.key };
    },
  };
}

const numbers = new Map<string, string>();
const shellNumbers = new Map<string, ReadonlySet<string>>();
let last = 5_000_000 + Math.floor(Math.random() * 1_000_000);

/**
 * `+213551234567`, the number in all pages (and those that differ in its last digit), stands for a fresh one in each
 * program, in the shell on each page; `localhost:50051`, where `npm start` listens by default, for the running service.
 * Everything else is executed verbatim.
 */
export function standFor({ name, page, language, text }: Program, { prefixes }: Account): Stand {
  const owner = language === 'sh' ? page : name;
  const fresh = numbers.get(owner) ?? `${prefixes[0]}${last + 10}`;
  last = Math.max(last, Number(fresh.slice(-7)));
  numbers.set(owner, fresh);
  const replaced = text
    .replace(/21355123456(\d)/g, (_, digit: string) => fresh.slice(1, -1) + digit)
    .replaceAll('localhost:50051', process.env.RAMZ_GRPC_TARGET ?? '');
  const own = [...replaced.matchAll(/(?:\+|%2B)(213\d{9})\b/g)].map(([, digits]) => `+${digits}`);
  if (language !== 'sh') return { text: replaced, numbers: [...new Set(own)] };
  // The code of one block's number may be asked for in the next.
  const all = new Set([...(shellNumbers.get(page) ?? []), ...own]);
  shellNumbers.set(page, all);
  return { text: replaced, numbers: [...all] };
}
