// The fake, held to the stories that every SDK's fake plays (sdks/vectors/fake.json), and these to the service: what it can be
// told in test mode, it does as they say.
import { describe, test } from 'node:test';
import { Ramz } from '@ramz/sdk';
import { FakeRamz } from '@ramz/sdk/testing';
import { play } from './stories.mjs';
import { vectors } from './support.mjs';

const { cases } = vectors('fake');

describe('on the fake', () => {
  for (const { name, steps } of cases)
    test(name, async () => {
      const fake = new FakeRamz();
      await play(steps, fake, fake);
    });
});

/** From anywhere, because another Node has numbers of the same service; then one after another. */
let last = Math.floor(Math.random() * 900_000);
const digits = () => String(last++).padStart(6, '0');

describe('on the service', { skip: !process.env.RAMZ_TEST_KEY && 'no service is running' }, () => {
  // Time can't be told to pass there, nor numbers to be refused; messages take their time, and there are other sessions.
  const told = (step) =>
    step.advance_seconds || step.refuse || step.watch || step.ids || step.operation === 'accounts.get';
  const playable = cases.filter(({ steps }) => !steps.some(told));
  test('are most of them', () => {
    if (playable.length < 5) throw new Error(`only ${playable.length}`);
  });
  for (const { name, steps } of playable)
    test(name, async () => {
      const mine = { '+213550000001': `+213551${digits()}`, '+213550000002': `+213552${digits()}` };
      const ramz = new Ramz({ apiKey: process.env.RAMZ_TEST_KEY, maxRetries: 0 });
      await play(
        steps.map((step) => forService(step, mine)),
        ramz,
      );
    });
});

function forService({ timeline: _, ...step }, mine) {
  if (!step.operation) return step;
  const numbers = (given) =>
    Object.fromEntries(Object.entries(given ?? {}).map(([key, value]) => [key, mine[value] ?? value]));
  const { delivery: __, ...expected } = numbers(step.expect);
  const key = step.idempotency_key && `${step.idempotency_key} ${Object.values(mine).join(' ')}`;
  return { ...step, arguments: numbers(step.arguments), expect: expected, idempotency_key: key };
}
