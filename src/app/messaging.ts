// The wiring of WhatsApp: the channel with the deployment's number and the businesses' own, the linking of those, and the platform's callbacks.
// What is counted and logged of it is in messaging-observer.ts.

import { messagingCallbacks } from '../api/callbacks/messaging.ts';
import type { Mount } from '../api/http.ts';
import type { KnownIntake } from '../channels/channel.ts';
import { deliverySeconds, ownAccount, platformAccount } from '../channels/whatsapp/account.ts';
import { GraphClient } from '../channels/whatsapp/graph.ts';
import { linking } from '../channels/whatsapp/linking.ts';
import { type AccountChange, WhatsAppChannel } from '../channels/whatsapp/whatsapp.ts';
import type { WabaPlatform } from '../core/waba/platform.ts';
import type { OwnNumber } from '../engine/waba/numbers.ts';
import { Waba } from '../engine/waba/waba.ts';
import { Seldom } from '../time/seldom.ts';
import type { Base } from './base.ts';
import { appObserver, logLink } from './messaging-observer.ts';

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
  const { numbers, recipients } = waba;
  const observer = appObserver(metrics, logger, now);
  const channel: WhatsAppChannel = new WhatsAppChannel({
    accountsFor: ({ id }, language) => {
      const number = numbers.ofAccount(id);
      const account = ownOf(number);
      // A template that is not approved in this language would be refused, and so would a message beyond the limit of people.
      const isUsable =
        account && number?.languages.has(account.template.languages[language]) && !recipients.isFull(number);
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
    onTokenRefused: (phoneNumberId, code) => waba.tokenRefused(phoneNumberId, code),
    onAccountChange: (change) => own.takeChange(change),
    observer: {
      ...observer,
      sent: (phoneNumberId, to) => recipients.add(phoneNumberId, to),
      down: (phoneNumberId, refusal, until, owner) => {
        observer.down?.(phoneNumberId, refusal, until, owner);
        own.refused(phoneNumberId);
      },
      misconfigured: (phoneNumberId, refusal, owner) => {
        observer.misconfigured?.(phoneNumberId, refusal, owner);
        if (owner !== null) own.misconfigured(phoneNumberId);
      },
    },
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

const stoppedUnknown =
  "the messaging platform stops an account that is no business's here: is it the deployment's own? See WhatsApp Manager";

/** A number's account is asked about once in this time, however many of its messages are refused: the platform limits these calls. */
const askEveryMs = 60_000;

/** The minutes in the footer of a template: 1 to 90. */
const mostMinutes = 90;

/** `onNumbers` is called with the numbers whose token may be another one now. */
export function ownAccounts(base: Base, onNumbers: (phoneNumberIds: readonly string[]) => void) {
  const { live, database, ring, ids, now, logger } = base;
  const { db } = database;
  const client = new GraphClient({ connections: 8 });
  /** For the codes of signups alone: they live for seconds and wait for no other call, and the platform gives a token once. */
  const codes = new GraphClient({ connections: 8 });
  const questions = new Seldom(now);
  const platform = (): WabaPlatform | null => {
    const { messaging, verify } = live.config;
    if (!messaging) return null;
    const { graphUrl, template } = platformAccount(messaging);
    const app = messaging.signup && { id: messaging.signup.appId, secret: messaging.appSecret };
    const expiryMinutes = Math.min(mostMinutes, Math.ceil(verify.ttlSeconds.default / 60));
    const deliverWithinSeconds = deliverySeconds(messaging.template.deliverWithinSeconds, verify.cascade);
    return linking({ client, codes, graphUrl, app, template, expiryMinutes, deliverWithinSeconds });
  };
  const waba = new Waba({
    db,
    ring,
    ids,
    now,
    log: logger,
    settings: {
      get platform() {
        return platform();
      },
      get hasSignup() {
        return Boolean(live.config.messaging?.signup);
      },
      get platformNumber() {
        return live.config.messaging?.phoneNumberId ?? null;
      },
    },
    observer: { linkChanged: (row) => logLink(logger, row, now()), numbersChanged: onNumbers },
  });
  function ask(phoneNumberId: string): void {
    const number = waba.numbers.ofNumber(phoneNumberId);
    if (!number) return;
    const { accountId, wabaId } = number;
    waba.accountChanged(wabaId).catch((error) => {
      const about = { err: error, account_id: accountId, phone_number_id: phoneNumberId };
      logger.error(about, 'the health of a number could not be asked for; the daily look does');
    });
  }
  return {
    waba,
    async takeChange(change: AccountChange): Promise<void> {
      const { wabaId } = change;
      switch (change.kind) {
        case 'ended': {
          const own = live.config.messaging?.signup?.appId ?? null;
          // Another app of the same business was removed.
          if (change.appId !== null && own !== null && change.appId !== own) return;
          const { reportedAt, reason } = change;
          await waba.accountStopped({ wabaId, reportedAt, stop: { kind: 'ended', reason } });
          return;
        }
        case 'suspended': {
          const { reportedAt, reason, until } = change;
          const stopped = await waba.accountStopped({ wabaId, reportedAt, stop: { kind: 'suspended', reason, until } });
          if (stopped === 0) logger.warn({ waba_id: wabaId, reason }, stoppedUnknown);
          return;
        }
        case 'warned':
          logger.warn({ waba_id: wabaId, event: change.event, detail: change.detail }, 'the messaging platform warns');
          return;
        case 'changed':
          return waba.accountChanged(wabaId);
      }
    },
    /** The platform refuses a business's own number for every recipient. Why is asked at once, so that its link says so. */
    refused: ask,
    /** It refuses the number's template: how that stands is asked at once, so that no more messages are tried in vain. */
    misconfigured(phoneNumberId: string): void {
      if (questions.isDue(phoneNumberId, askEveryMs)) ask(phoneNumberId);
    },
    /** Breaks off calls of the platform: the process that takes the step up repeats them. The exchange of a code, which cannot be repeated, ends first. */
    async close(): Promise<void> {
      await client.close();
      await waba.close();
      await codes.close();
    },
  };
}

export type OwnAccounts = ReturnType<typeof ownAccounts>;
