// One of two servers is killed with -9 in the middle of 300 sessions. The client does what clients do: it repeats what got
// no answer, with the same idempotency key, at the server that is left. Nothing acknowledged is lost, everybody has a code long before
// their leg is over, no phone has two SMS but where the session says so, every event is told.

import { expect, test } from 'vitest';
import { bindsOf, testService } from '../support/service.ts';
import type { Sent } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';

const service = await testService({
  sandbox: { deliverDelayMs: 150 },
  // A webhook that was under way in the killed one is due again when its lease ends: timeout and 15 s.
  config: { webhooks: { timeout_seconds: 5 } },
  errorsExpected: true,
});
const { sandbox, database } = service;
const killed = await service.startProcess();
const left = await service.startProcess();

/** Far longer than anybody is to wait: it is the doubt's own deadline that ends the wait, not the leg's. */
const cascade = [{ channel: 'sms', timeout_seconds: 60 }];
/** Lease, time in doubt and submission come to 8 s or so; the rest is for a machine that has much else to do. */
const longestWaitMs = 30_000;
const numbers = Array.from({ length: 300 }, (_, n) => `${['+21355', '+21366', '+21377'][n % 3]}${6_000_000 + n}`);

/** A session as the database has it in the end. */
interface Row {
  id: string;
  number: string;
  delivery: string;
  sequence: number;
  statuses: string[];
  reasons: (string | null)[];
  attempts: number[];
  /** From the session's beginning to the last of its messages that an operator took, ms. */
  waited: number;
}

async function rows(): Promise<Row[]> {
  const result = await database.lanes.query<Row>({
    name: 'e2e.crash',
    text: `select s.id, s.number, s.delivery, s.event_sequence as sequence,
        array_agg(m.status order by m.attempt) as statuses, array_agg(m.reason order by m.attempt) as reasons,
        array_agg(m.attempt order by m.attempt) as attempts,
        (extract(epoch from max(m.submitted_at) - s.created_at) * 1000)::float8 as waited
      from verify_session s join message m on m.account_id = s.account_id and m.session_id = s.id
      where s.account_id = $1 group by s.id, s.number, s.delivery, s.event_sequence, s.created_at`,
    values: [service.accountId],
  });
  return result.rows;
}

test('killed in mid-traffic', async () => {
  await until(async () => Object.values(await bindsOf(left)).every((bound) => bound === 1), {
    what: 'both to be bound',
  });
  let acknowledged = 0;
  let repeated = 0;
  const send = async (to: string, n: number): Promise<Sent> => {
    const body = { to, cascade, client_reference: `order-${n}` };
    const key = { 'idempotency-key': `order-${n}` };
    const first = n % 2 ? killed : left; // Once it is dead too: a client does not know.
    const answer = await first.live.call<Sent>('POST', '/v1/verify/send', body, key).catch(async () => {
      repeated += 1;
      return left.live.call<Sent>('POST', '/v1/verify/send', body, key);
    });
    expect(answer).toMatchObject({ status: 200, body: { to } });
    acknowledged += 1;
    if (acknowledged === 150) killed.process.signal('SIGKILL');
    return answer.body;
  };
  const sent = await inParallel(numbers, 24, send);
  expect(await killed.process.exit()).toMatchObject({ signal: 'SIGKILL' });

  // Every event of every session is told: 1, 2, 3 … under one id each.
  const settled = await until(
    async () => {
      const found = await rows();
      const busy = found.filter(({ delivery }) => delivery === 'sending');
      if (busy.length > 0) throw new Error(`${busy.length} are still sending`);
      const told = Map.groupBy(sandbox.events(), ({ data }) => data.session_id);
      const untold = found.filter(({ id, sequence }) => told.get(id)?.length !== sequence);
      if (untold.length > 0) throw new Error(`${untold.length} have events that were not told`);
      return found;
    },
    { what: 'every session to be settled and told', timeoutMs: 90_000, everyMs: 100 },
  );
  const told = Map.groupBy(sandbox.events(), ({ data }) => data.session_id);
  for (const { id, sequence } of settled) {
    const sequences = (told.get(id) ?? []).map(({ session_sequence }) => session_sequence).sort((x, y) => x - y);
    expect(sequences, id).toEqual(Array.from({ length: sequence }, (_, index) => index + 1));
  }

  // Every answer the client got names a session that is there; one for each number, although some asked twice.
  expect(settled.map(({ id }) => id).sort()).toEqual(sent.map(({ id }) => id).sort());
  expect(new Set(settled.map(({ number }) => number)).size).toBe(300);

  // Delivered by one message, or by one more after a message in doubt, which may have been sent.
  for (const { number, delivery, statuses, reasons, attempts, waited } of settled) {
    const phone = sandbox.smsTo(number).length;
    const inDoubt = attempts.length === 2;
    const fine = inDoubt ? phone === 1 || phone === 2 : phone === 1;
    if (!fine || delivery !== 'delivered' || attempts.length > 2 || !(waited < longestWaitMs))
      throw new Error(`${number}: ${delivery}, ${statuses}, ${reasons}, ${phone} SMS, ${waited} ms`);
  }
  const again = settled.filter(({ attempts }) => attempts.length === 2);
  const marked = await Promise.all(again.map(({ id }) => left.live.session(id)));
  for (const { timeline } of marked) expect(timeline.map(({ kind }) => kind)).toContain('in_doubt_resend');

  // The one that is left has taken the binds over, and never were there more than the operators allow.
  const all = { atlas: 2, sahara: 2, djurdjura: 2 };
  await until(async () => JSON.stringify(await bindsOf(left)) === JSON.stringify(all), {
    what: 'the binds to be taken over',
  });
  expect(sandbox.smscs.atlas.counts.peak_binds).toBeLessThanOrEqual(2);
  expect(sandbox.smscs.sahara.counts.peak_binds).toBeLessThanOrEqual(4);
  expect(sandbox.smscs.djurdjura.counts.peak_binds).toBeLessThanOrEqual(2);

  // The codes still verify, whichever process derived them.
  const checks = await inParallel(sent, 24, async ({ id, to }) =>
    sandbox.smsTo(to).length === 0 ? null : left.live.check(id, await sandbox.codeTo(to)),
  );
  const refused = checks.filter((check) => check !== null && !check.valid);
  expect(refused).toEqual([]);
  expect(repeated).toBeGreaterThan(0);
});
