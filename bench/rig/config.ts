// The server's configuration for measuring: three operators at one SMSC, limits out of the way.

import { prefixes } from '../load/verifications.ts';

/** `binds`: at each operator, over all servers. */
export function benchConfig(smscPort: number, binds: number): object {
  const operators = ['first', 'second', 'third'].map((id, index) => ({
    id,
    name: id,
    prefixes: [prefixes[index]],
    binds: [{ host: '127.0.0.1', port: smscPort, system_id: `bench-${id}`, password: 'bench', count: binds }],
    window: 200,
    rate_per_second: 10_000,
    time_zone: 'UTC',
    receipt: { date_format: 'YYMMDDhhmm' },
    tariff: [
      { version: 'bench', valid_from: '2020-01-01T00:00:00Z', currency: 'DZD', amount: '3.50', charged: 'delivery' },
    ],
  }));
  return {
    service: { brand: 'Ramz', home_country: 'DZ' },
    operators,
    limits: {
      account_calls_per_second: 100_000,
      account_sends_per_second: 100_000,
      account_sends_burst: 100_000,
      budget: { sends_per_hour: null, sends_per_day: null, spend_per_hour: {}, spend_per_day: {} },
      webhook_endpoints_per_host: 100,
      webhook_deliveries_per_host: 10_000,
      webhook_deliveries_per_host_per_second: 1_000_000,
    },
    webhooks: { allow_private_targets: true, concurrency_per_endpoint: 64 },
  };
}
