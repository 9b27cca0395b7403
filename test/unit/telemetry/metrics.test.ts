// What metrics show before anything was counted.
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

test('no token has died before the links are counted: an alert on its end would fire at every start', async () => {
  const text = await createMetrics().register.metrics();
  expect(text).toMatch(/^ramz_waba_token_end_timestamp_seconds \+Inf$/m);
});
