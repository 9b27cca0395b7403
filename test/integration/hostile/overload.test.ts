// More sends at once than an operator takes while their legs last: what can't be sent in time is refused with 503 and stored
// nowhere, and what was taken goes out.
import { afterAll, expect, test } from 'vitest';
import { Smsc } from '../../support/npm-smsc.ts';
import { testService } from '../../support/service.ts';
import type { ErrorBody, Sent } from '../../support/service-client.ts';

const service = await testService();
const slow = service.sandbox.operators.map((operator) => ({ ...operator, rate_per_second: 20, window: 10 }));
/** It would take 200 a second, and lets ten wait for 300 ms each: 33 a second. */
const late = await Smsc.listen();
late.onSubmit = (submit, connection) =>
  void setTimeout(() => {
    const id = late.accept(submit, connection);
    const source_addr = submit.destination_addr as string;
    void late.deliver(connection, { source_addr, short_message: `id:${id} stat:DELIVRD err:000 text:` });
  }, 300);
afterAll(() => late.close());
const behindItsWindow = {
  ...slow[0],
  id: 'late',
  prefixes: ['+21356'],
  rate_per_second: 200,
  message_id: { rule: 'same' },
  binds: [{ host: '127.0.0.1', port: late.port, system_id: 'ramz', password: 'secret08' }],
};
service.configure({ operators: [...slow, behindItsWindow] });
const { live } = await service.startHere();
const cascade = [{ channel: 'sms', timeout_seconds: 5 }];
/** Sends to so many numbers at once, from this one on. */
const sendTo = (first: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, nth) =>
      live.call<Sent & ErrorBody>('POST', '/v1/verify/send', { to: `+${first + nth}`, cascade }),
    ),
  );
const endOf = ({ body: { id } }: { body: Sent }) =>
  live.sessionWhen(id, `${id} to come to its end`, ({ delivery }) => delivery !== 'sending', 20_000);

test('of 600 sends at once an operator of 20 a second gets what fits into five seconds', async () => {
  const startedAt = performance.now();
  const answers = await sendTo(213_551_400_000, 600);
  const askedSeconds = (performance.now() - startedAt) / 1000;
  const taken = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status, headers, body } of refused) {
    expect(body.error.code).toBe('overloaded');
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // Twenty a second for five seconds and for as long as the asking took, and what the bucket held; not the 600 that all saw an empty queue.
  expect(taken.length).toBeGreaterThan(50);
  expect(taken.length).toBeLessThan(200 + 20 * askedSeconds);
  const { rows } = await service.database.lanes.query('select count(*)::integer as n from verify_session');
  expect(rows[0].n).toBe(taken.length);
  const ends = await Promise.all(taken.map(endOf));
  const sent = ends.filter(({ messages }) => messages.some(({ status }) => status === 'delivered'));
  expect(sent.length).toBeGreaterThan(taken.length / 2);
});

test('a queue is as long as the windows let it drain, where those are the limit and not the rate', async () => {
  await Promise.all((await sendTo(213_561_400_000, 40)).map(endOf));
  const answers = await sendTo(213_561_500_000, 600);
  const taken = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(new Set(refused.map(({ body }) => body.error.code))).toEqual(new Set(['overloaded']));
  expect(taken.length).toBeGreaterThan(20);
  const ends = await Promise.all(taken.map(endOf));
  const sent = ends.filter(({ messages }) => messages.some(({ status }) => status === 'delivered'));
  expect(sent.length).toBeGreaterThan(taken.length / 2);
});
