// The messaging app put together: the channel with the platform's number and the businesses' own, its callbacks, metrics, alarms.

import { messagingCallbacks } from '../api/callbacks/messaging.ts';
import type { Mount } from '../api/http.ts';
import type { KnownIntake } from '../channels/channel.ts';
import { ownAccount, platformAccount } from '../channels/whatsapp/account.ts';
import { type AppObserver, WhatsAppChannel } from '../channels/whatsapp/whatsapp.ts';
import type { OwnNumber } from '../engine/waba/numbers.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Base } from './base.ts';
import { type OwnAccounts, ownAccounts } from './own-accounts.ts';

export interface MessagingApp {
  channel: WhatsAppChannel;
  callbacks: Mount;
  own: OwnAccounts;
}

export function messagingApp(base: Base, intake: KnownIntake): MessagingApp {
  const { live, now, metrics, logger } = base;
  const platform = () => {
    const { messaging } = live.config;
    return messaging && platformAccount(messaging);
  };
  const ownOf = (number: OwnNumber | null) => {
    const { messaging } = live.config;
    return messaging && number && ownAccount(messaging, number);
  };
  const own = ownAccounts(base, (phoneNumberIds) => channel.configured(phoneNumberIds));
  const { waba } = own;
  const { numbers } = waba;
  const channel: WhatsAppChannel = new WhatsAppChannel({
    accountsFor: ({ id }, language) => {
      const number = numbers.ofAccount(id);
      const account = ownOf(number);
      // A template that is not approved in this language would be refused.
      const isUsable = account && number?.languages.has(account.template.languages[language]);
      return [isUsable ? account : null, platform()].filter((each) => each !== null);
    },
    accountOf: (phoneNumberId) => {
      const account = platform();
      return account?.phoneNumberId === phoneNumberId ? account : ownOf(numbers.ofNumber(phoneNumberId));
    },
    platform,
    billingOf: (phoneNumberId) => {
      const account = platform();
      if (!account || account.phoneNumberId === phoneNumberId) return account;
      return numbers.isKnown(phoneNumberId) ? { ...account, billedBy: 'platform' } : null;
    },
    platformName: () => live.config.service.brand,
    onTokenRefused: (phoneNumberId, code) => waba.lost(phoneNumberId, code),
    onAccountChange: (change) => own.takeChange(change),
    observer: appObserver(metrics, logger, now),
    intake,
    now,
  });
  const callbacks = messagingCallbacks({
    secrets: () => live.config.messaging,
    take: (body) => channel.takeCallback(body),
    observe: (result) => metrics.appCallbacks.inc({ result }),
    logger,
  });
  return { channel, callbacks, own };
}

/** The same complaint is logged once in this time: a wrong template would fill the log at the rate of sending. */
const silenceMs = 60_000;

function appObserver(metrics: Metrics, logger: Logger, now: () => number): AppObserver {
  const loggedAt = new Map<string, number>();
  const isNews = (complaint: string) => {
    const last = loggedAt.get(complaint);
    if (last !== undefined && now() - last < silenceMs) return false;
    if (loggedAt.size > 1_000) loggedAt.clear();
    loggedAt.set(complaint, now());
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
    down: (phoneNumberId, { code, subcode, trace }, until, owner) => {
      metrics.appDown.set({ number: phoneNumberId }, 1);
      const about = { phone_number_id: phoneNumberId, code, subcode, fbtrace_id: trace, until: new Date(until) };
      if (owner !== null)
        logger.warn(about, "the messaging platform rejects a business's own number: ours is used until then");
      else
        logger.error(
          about,
          'the messaging platform rejects our credentials: check the access token and the number; the leg is skipped until then',
        );
    },
    up: (phoneNumberId) => {
      metrics.appDown.set({ number: phoneNumberId }, 0);
      logger.info({ phone_number_id: phoneNumberId }, 'the messaging platform takes messages again');
    },
    misconfigured: (phoneNumberId, { code, subcode, trace }, owner) => {
      if (!isNews(`${phoneNumberId} ${code}`)) return;
      const about = { phone_number_id: phoneNumberId, code, subcode, fbtrace_id: trace };
      if (owner !== null) logger.warn(about, "a business's own account can not be used as it is: ours is used");
      else logger.error(about, 'the messaging platform rejects our template or number: compare both with its settings');
    },
    ignored: (what, count) => metrics.appIgnored.inc({ what }, count),
  };
}
