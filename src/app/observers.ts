// The observers of the parts: each report becomes a metric.

import type { CallReport } from '../api/waist/ports.ts';
import type { CarrierReceipt } from '../channels/channel.ts';
import type { WebhookObserver } from '../engine/webhooks/context.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export function observers(metrics: Metrics, now: () => number) {
  const webhooks: WebhookObserver = {
    delivery: (outcome, _reason, seconds) => {
      metrics.webhookAttempts.inc({ outcome });
      if (seconds !== null) metrics.webhookSeconds.observe(seconds);
    },
  };
  return {
    webhooks,
    call: ({ method, door, code, seconds }: CallReport) => {
      metrics.calls.inc({ method, door, code });
      metrics.callSeconds.observe({ method, door }, seconds);
    },
    refusal: ({ door, reason }: { door: string; reason: string }) => metrics.refusals.inc({ door, reason }),
    lane: (lane: string, batch: { size: number; waitMs: number; runMs: number }) => {
      metrics.laneBatch.observe({ lane }, batch.size);
      metrics.laneWait.observe({ lane }, batch.waitMs / 1000);
      metrics.laneRun.observe({ lane }, batch.runMs / 1000);
    },
    receipt: ({ operator, receipt }: CarrierReceipt, result: string) => {
      metrics.receipts.inc({ operator, status: receipt.status, result });
      const { operatorTimestamp } = receipt;
      if (operatorTimestamp !== null) {
        metrics.receiptSeconds.observe({ operator }, Math.max(0, now() - operatorTimestamp) / 1000);
      }
    },
  };
}
