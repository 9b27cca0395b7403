// Limits of the accounts that have none of their own: budgets, whose windows are whole hours and days of UTC, and the limits of sends for one
// end user (`client` of a send).

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { currencySchema, perCount, settings } from './fields.ts';

const { budget, client } = defaults.limits;

const sends = z.int().min(0).max(1_000_000_000).nullable();
const spend = z.record(
  currencySchema,
  z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, 'must be a decimal number as text, e.g. "2500.00"'),
);

export const budgetSchema = settings({
  sends_per_hour: sends
    .default(budget.sends_per_hour)
    .describe('Sends and resends of one account within an hour; null = any number.'),
  sends_per_day: sends
    .default(budget.sends_per_day)
    .describe('Sends and resends of one account within a day; null = any number.'),
  spend_per_hour: spend
    .default(budget.spend_per_hour)
    .describe(
      'What the messages of one account may cost within an hour, by currency (ISO 4217): decimal text. A currency that is not named has no budget.',
    ),
  spend_per_day: spend
    .default(budget.spend_per_day)
    .describe('What the messages of one account may cost within a day, by currency; likewise.'),
})
  .prefault({})
  .describe(
    'How much an account may send and spend where it has no budget of its own; then 429 `budget_exhausted`. Hours and days are those of UTC.',
  );

const clientSchema = (
  { sends_per_hour, sends_per_day }: { sends_per_hour: number | null; sends_per_day: number | null },
  meaning: string,
) =>
  settings({
    sends_per_hour: perCount
      .nullable()
      .default(sends_per_hour)
      .describe(`${meaning} within an hour; null = not counted.`),
    sends_per_day: perCount.nullable().default(sends_per_day).describe(`${meaning} within a day; null = not counted.`),
  })
    .prefault({})
    .describe(`${meaning}.`);

/** What `client` of a send is counted by. */
export const clientsSchema = settings({
  ip: clientSchema(client.ip, 'Sends of one account for one address of an end user (of IPv6: one /64)'),
  device: clientSchema(client.device, 'Sends of one account for one device of an end user'),
  user_agent: clientSchema(client.user_agent, 'Sends of one account for one user agent at one address'),
})
  .prefault({})
  .describe('Live sends that name their end user (`client`); beyond these 429 `client_rate_limited`.');
