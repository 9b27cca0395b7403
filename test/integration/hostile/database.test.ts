// The database goes away under a running service, in the two ways there are: connections are refused, or nothing answers any
// more. Calls are refused with 503, no acknowledged work is lost, and everything works again by itself.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testService } from '../../support/service.ts';
import type { ErrorBody, Sent, Session } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';
import { proxyTo } from './proxy.ts';

const service = await testService({ errorsExpected: true, sandbox: { deliverDelayMs: 1_000 } });
const { sandbox, database } = service;
const direct = new URL(database.url);
const proxy = await proxyTo(direct.hostname, Number(direct.port));
const proxied = new URL(database.url);
proxied.port = String(proxy.port);
// So that a silent connection is given up after 4 s instead of 17.
proxied.searchParams.set('statement_timeout', '2000');
const server = await service.startProcess({ DATABASE_URL: proxied.href });
const { live, http } = server;

let number = 1_000_000;
const newNumber = () => {
  number += 1;
  return `+21355${number}`;
};
const sendTo = (to: string) => live.call<Sent & ErrorBody>('POST', '/v1/verify/send', { to });
const readyz = async () => (await fetch(`${http}/readyz`)).status;

/** Sends until the service refuses; returns what it acknowledged. */
async function acknowledged(count: number): Promise<Sent[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => sendTo(newNumber())));
  return answers.filter(({ status }) => status === 200).map(({ body }) => body);
}

describe.each(['refusing', 'silent'] as const)(
  'a database that is %s',
  (state) => {
    let sent: Sent[];
    beforeAll(async () => {
      await until(async () => (await readyz()) === 200, { what: 'the service to be ready', timeoutMs: 30_000 });
      sent = await acknowledged(20);
      expect(sent).toHaveLength(20);
      proxy.become(state);
    });
    afterAll(() => proxy.become('open'));

    test('is told at once: 503 with Retry-After, not ready, but alive', async () => {
      await until(async () => (await readyz()) === 503, { what: 'readyz to say 503' });
      const refused = await until(
        async () => {
          const answer = await sendTo(newNumber());
          return answer.status === 503 && answer;
        },
        { what: 'sends to be refused', timeoutMs: 15_000 },
      );
      expect(refused.body.error.code).toMatch(/^(unavailable|overloaded)$/);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      // From then on nobody waits: 200 callers at once have their answer long before any deadline of theirs.
      const startedAt = Date.now();
      const answers = await Promise.all(Array.from({ length: 200 }, () => sendTo(newNumber())));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(Date.now() - startedAt).toBeLessThan(9_000);
      const check = await live.call<ErrorBody>('POST', '/v1/verify/check', { id: sent[0]?.id, code: '123456' });
      expect(check.status).toBe(503);
      expect((await fetch(`${http}/healthz`)).status).toBe(200);
    });

    test('comes back: the service works again by itself, and every acknowledged message and receipt is there', async () => {
      // Receipts came meanwhile; those that could not be stored were not acknowledged, and the SMSC brings them again.
      proxy.become('open');
      await until(async () => (await readyz()) === 200, { what: 'the service to be ready again', timeoutMs: 40_000 });
      const after = await until(
        async () => {
          const answer = await sendTo(newNumber());
          if (answer.status !== 200) return null;
          const over = ({ delivery }: Session) => delivery !== 'sending';
          // The binds were given up with the lease: on a busy machine the first legs may end before they are back.
          const { delivery } = await live.sessionWhen(answer.body.id, 'its end', over, 30_000);
          return delivery === 'delivered' && answer.body;
        },
        { what: 'a send to be taken again and delivered', timeoutMs: 60_000 },
      );
      for (const { id, to } of [...sent, after]) {
        const over = ({ delivery }: Session) => delivery !== 'sending';
        const session = await live.sessionWhen(id, `${id} to come to its end`, over, 30_000);
        // What was never written when its leg ended may not go out later; everything else went out once and was delivered.
        const withdrawn = session.messages.every(({ status }) => status === 'withdrawn');
        if (!withdrawn) await live.sessionWhen(id, `${id} to be delivered`, ({ delivery }) => delivery === 'delivered');
        expect(sandbox.smsTo(to)).toHaveLength(withdrawn ? 0 : 1);
      }
      expect(await live.check(after.id, await sandbox.codeTo(after.to))).toMatchObject({ valid: true });
    });
  },
  90_000,
);
