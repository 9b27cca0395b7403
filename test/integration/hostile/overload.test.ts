// More sends at once than an operator takes while their legs last: what can't be sent in time is refused with 503 and stored
// nowhere, and what was taken goes out.
import { expect, test } from 'vitest';
import { testService } from '../../support/service.ts';
import type { ErrorBody, Sent } from '../../support/service-client.ts';

const service = await testService();
const slow = service.sandbox.operators.map((operator) => ({ ...operator, rate_per_second: 20, window: 10 }));
service.configure({ operators: slow });
const { live } = await service.startHere();

test('of 600 sends at once an operator of 20 a second gets what fits into five seconds', async () => {
  const cascade = [{ channel: 'sms', timeout_seconds: 5 }];
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, nth) =>
      live.call<Sent & ErrorBody>('POST', '/v1/verify/send', { to: `+2135${51_400_000 + nth}`, cascade }),
    ),
  );
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
  const ends = await Promise.all(
    taken.map(({ body: { id } }) =>
      live.sessionWhen(id, `${id} to come to its end`, ({ delivery }) => delivery !== 'sending', 20_000),
    ),
  );
  const sent = ends.filter(({ messages }) => messages.some(({ status }) => status === 'delivered'));
  expect(sent.length).toBeGreaterThan(taken.length / 2);
});
