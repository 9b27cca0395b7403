// Settings of the limits for end users: what `client` of a send is counted by.

import { defaults } from './defaults.ts';
import { perCount, settings } from './fields.ts';

const { limits } = defaults;

const clientSchema = (
  { sends_per_hour, sends_per_day }: { sends_per_hour: number | null; sends_per_day: number | null },
  meaning: string,
) =>
  settings({
    sends_per_hour: perCount.nullable().default(sends_per_hour).describe(`${meaning}; null = not counted.`),
    sends_per_day: perCount.nullable().default(sends_per_day).describe(`${meaning}; null = not counted.`),
  })
    .prefault({})
    .describe(meaning);

/** What `client` of a send is counted by. */
export const clientsSchema = settings({
  ip: clientSchema(limits.client.ip, 'Sends of one account for one address of an end user (of IPv6: one /64)'),
  device: clientSchema(limits.client.device, 'Sends of one account for one device'),
  user_agent: clientSchema(limits.client.user_agent, 'Sends of one account for one user agent at one address'),
})
  .prefault({})
  .describe('Live sends that name their end user (`client`); beyond these 429 `client_rate_limited`.');
