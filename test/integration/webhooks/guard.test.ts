// Addresses that webhooks must not reach, judged before a post and where the connection is made: nothing may arrive at the receiver.
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { Poster } from '../../../src/engine/webhooks/poster.ts';
import { testDatabase } from '../../support/database.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const inside = await receiver();
const { manager } = await testWebhooks(database);
const account = await testAccount(database, manager);

/** Names a stranger controls: what they resolve to is decided while we look. */
const names: Record<string, { address: string; family: number }[]> = {
  'rebound.example': [{ address: '127.0.0.1', family: 4 }],
  'half.example': [
    { address: '8.8.8.8', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
  'mapped.example': [{ address: '::ffff:127.0.0.1', family: 6 }],
};

const refusal = 'its address is not one that webhooks may go to (https, public, port 443 or from 1024 on)';
/** Errors of name servers, as Node gives them. */
const failures: Record<string, { code: string; syscall: string }> = {
  'refused.example': { code: 'ECONNREFUSED', syscall: 'queryA' },
  'silent.example': { code: 'ETIMEOUT', syscall: 'queryA' },
  'garbled.example': { code: 'EBADRESP', syscall: 'queryA' },
  'misread.example': { code: 'EFORMERR', syscall: 'queryA' },
  'unable.example': { code: 'ENOTIMP', syscall: 'queryA' },
  'system.example': { code: 'EAI_FAIL', syscall: 'getaddrinfo' },
};
const asked: string[] = [];
const resolve = async (name: string) => {
  asked.push(name);
  const found = names[name];
  if (!found)
    throw Object.assign(new Error('no such name'), failures[name] ?? { code: 'ENOTFOUND', syscall: 'queryA' });
  return found;
};
const guarded = await testWebhooks(database, { allowPrivate: false, resolve });

afterEach(async () => {
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
  guarded.outcomes.length = 0;
  asked.length = 0;
  expect(guarded.errors).toEqual([]);
});

async function deliver(url: string) {
  const endpoint = await account.create('http://127.0.0.1/');
  // As if the address had been stored before the rules, or its name resolved to something else then.
  await sql`update webhook_endpoint set url = ${url} where id = ${endpoint.id}`.execute(database.db);
  await account.event(endpoint.id);
  await guarded.webhooks.sweep(Date.now());
  await guarded.webhooks.idle();
  return account.one(endpoint.id);
}

describe('guard', () => {
  test.each(Object.keys(names))('a name that resolves to loopback is refused: %s', async (name) => {
    const row = await deliver(`https://${name}:${inside.port}/secret`);
    expect(row).toMatchObject({ status: 'pending', last_status: null, last_error: refusal });
    expect(asked).toEqual([name]);
    expect(inside.received).toEqual([]);
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'localhost'])(
    'so is %s, without a look-up',
    async (host) => {
      const url = `https://${host}:${inside.port}/secret`;
      expect(await deliver(url)).toMatchObject({ status: 'pending', last_error: refusal });
      // Where the connection is made it is refused once more.
      const poster = new Poster({ allowPrivate: false, timeoutMs: 15_000, resolve });
      const answer = await poster.post({ url, headers: {}, body: '{}' });
      expect(answer).toEqual({ kind: 'no_answer', reason: 'target_refused' });
      await poster.close();
      expect(asked).toEqual([]);
      expect(inside.received).toEqual([]);
    },
  );

  // It was stored while `webhooks.allow_private_targets` was on.
  test.each(['http://public.example:8080/x', 'http://public.example/', 'https://public.example:25/'])(
    'an address that no endpoint may have gets nothing: %s',
    async (url) => {
      expect(await deliver(url)).toMatchObject({ status: 'pending', last_status: null, last_error: refusal });
      expect(asked).toEqual([]);
      expect(guarded.outcomes).toEqual(['retry target_refused']);
    },
  );

  test('the same receiver is reached where private targets are allowed', async () => {
    const endpoint = await account.create(inside.url('/open'));
    await account.event(endpoint.id);
    const open = await testWebhooks(database);
    await open.webhooks.sweep(Date.now());
    await open.webhooks.idle();
    expect(inside.at('/open')).toHaveLength(1);
  });

  test('a name that does not resolve is said to be that', async () => {
    expect(await deliver('https://nowhere.example/')).toMatchObject({ last_error: 'its name could not be resolved' });
    expect(guarded.outcomes).toEqual(['retry dns_failed']);
  });

  test.each(Object.keys(failures))('so is a name whose server failed: %s', async (name) => {
    expect(await deliver(`https://${name}/`)).toMatchObject({ last_error: 'its name could not be resolved' });
    expect(guarded.outcomes).toEqual(['retry dns_failed']);
  });
});
