// The messaging app put together: the channel with the platform's number, its callbacks, its metrics and alarms.

import { messagingCallbacks } from '../api/callbacks/messaging.ts';
import type { Mount } from '../api/http.ts';
import type { ReceiptIntake } from '../channels/channel.ts';
import { platformAccount } from '../channels/whatsapp/account.ts';
import { type AppObserver, WhatsAppChannel } from '../channels/whatsapp.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface MessagingParts {
  config(): Config;
  intake: ReceiptIntake;
  now(): number;
  metrics: Metrics;
  logger: Logger;
}

export function messagingApp({ config, intake, now, metrics, logger }: MessagingParts): {
  channel: WhatsAppChannel;
  callbacks: Mount;
} {
  const platform = () => {
    const { messaging } = config();
    return messaging && platformAccount(messaging);
  };
  const channel = new WhatsAppChannel({
    // Every account's messages go out from the platform's number, until it can link one of its own.
    accountFor: platform,
    accountOf: (phoneNumberId) => {
      const account = platform();
      return account?.phoneNumberId === phoneNumberId ? account : null;
    },
    numbers: () => {
      const account = platform();
      return account ? [account.phoneNumberId] : [];
    },
    observer: appObserver(metrics, logger, now),
    ...{ intake, now },
  });
  const callbacks = messagingCallbacks({
    secrets: () => config().messaging,
    take: (body) => channel.takeCallback(body),
    observe: (result) => metrics.appCallbacks.inc({ result }),
    logger,
  });
  return { channel, callbacks };
}

/** The same complaint is logged once in this time: a wrong template would fill the log at the rate of sending. */
const silenceMs = 60_000;

function appObserver(metrics: Metrics, logger: Logger, now: () => number): AppObserver {
  const toldAt = new Map<string, number>();
  const isNews = (complaint: string) => {
    const last = toldAt.get(complaint);
    if (last !== undefined && now() - last < silenceMs) return false;
    if (toldAt.size > 1_000) toldAt.clear();
    toldAt.set(complaint, now());
    return true;
  };
  return {
    exchange: ({ meaning, code, ms }) => {
      metrics.appExchanges.inc({ meaning });
      metrics.appSeconds.observe(ms / 1000);
      if (meaning === 'unreachable' && isNews(`unreachable ${code}`)) {
        logger.warn({ code }, 'the messaging platform can not be reached');
      }
    },
    down: (phoneNumberId, { code, subcode, trace }, until) => {
      metrics.appDown.set({ number: phoneNumberId }, 1);
      const told = { phone_number_id: phoneNumberId, code, subcode, fbtrace_id: trace, until: new Date(until) };
      logger.error(told, 'the messaging platform refuses us: somebody must look; its leg is skipped until then');
    },
    up: (phoneNumberId) => {
      metrics.appDown.set({ number: phoneNumberId }, 0);
      logger.info({ phone_number_id: phoneNumberId }, 'the messaging platform takes messages again');
    },
    misconfigured: (phoneNumberId, { code, subcode, trace }) => {
      if (!isNews(`${phoneNumberId} ${code}`)) return;
      const told = { phone_number_id: phoneNumberId, code, subcode, fbtrace_id: trace };
      logger.error(told, 'the messaging platform can not use what is configured: somebody must look');
    },
    ignored: (what, count) => metrics.appIgnored.inc({ what }, count),
  };
}
