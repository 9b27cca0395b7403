// An SMSC that answers with ever new statuses makes no time series without end.
import { expect, test } from 'vitest';
import { bindObserver } from '../../../src/app/channels.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

test('statuses have their names, vendors’ their numbers, and all that the specification has no place for is one', async () => {
  const metrics = createMetrics();
  const { onStatus } = bindObserver({ metrics, logger: {} as never, onOddity: () => {} }, 'atlas', 0);
  for (const status of [0, 0x58, 0x401, 0x4ff]) onStatus?.('submit_sm', status);
  for (let status = 0x500; status < 0x1_0000_0000; status += 1_000_003) onStatus?.('submit_sm', status);
  const { values } = await metrics.submitStatus.get();
  expect(values.map(({ labels }) => labels.status)).toEqual([
    'ESME_ROK',
    'ESME_RTHROTTLED',
    '0x00000401',
    '0x000004ff',
    'other',
  ]);
});
