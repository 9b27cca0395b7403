// What a running service does when its database goes away and comes back, whatever the way: calls are refused with 503, no
// acknowledged work is lost, and everything works again by itself.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerProcess, TestService } from '../../support/service.ts';
import type { ErrorBody, Sent, Session } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

export interface Outage {
  /** "a database that is …" */
  state: string;
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
}

/** Sends until the outage begins, calls while it lasts, and looks at everything once it is over. */
export function describeOutages(service: TestService, server: ServerProcess, outages: readonly Outage[]): void {
  const { sandbox } = service;
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

  describe.each(outages)(
    'a database that is $state',
    ({ begin, end }) => {
      let sent: Sent[];
      beforeAll(async () => {
        await until(async () => (await readyz()) === 200, { what: 'the service to be ready' });
        sent = await acknowledged(20);
        expect(sent).toHaveLength(20);
        await begin();
      });
      afterAll(() => end());

      test('is told at once: 503 with Retry-After, not ready, but alive', async () => {
        await until(async () => (await readyz()) === 503, { what: 'readyz to say 503' });
        const refused = await until(
          async () => {
            const answer = await sendTo(newNumber());
            return answer.status === 503 && answer;
          },
          { what: 'sends to be refused' },
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
        await end();
        await until(async () => (await readyz()) === 200, { what: 'the service to be ready again' });
        const after = await until(
          async () => {
            const answer = await sendTo(newNumber());
            if (answer.status !== 200) return null;
            const over = ({ delivery }: Session) => delivery !== 'sending';
            // The binds were given up with the lease: on a busy machine the first legs may end before they are back.
            const { delivery } = await live.sessionWhen(answer.body.id, 'its end', over);
            return delivery === 'delivered' && answer.body;
          },
          { what: 'a send to be taken again and delivered' },
        );
        for (const { id, to } of [...sent, after]) {
          const over = ({ delivery }: Session) => delivery !== 'sending';
          const session = await live.sessionWhen(id, `${id} to come to its end`, over);
          // What was never written when its leg ended may not go out later; everything else went out once and was delivered.
          const withdrawn = session.messages.every(({ status }) => status === 'withdrawn');
          if (!withdrawn)
            await live.sessionWhen(id, `${id} to be delivered`, ({ delivery }) => delivery === 'delivered');
          expect(sandbox.smsTo(to)).toHaveLength(withdrawn ? 0 : 1);
        }
        expect(await live.check(after.id, await sandbox.codeTo(after.to))).toMatchObject({ valid: true });
      });
    },
    90_000,
  );
}
