// The wiring of WhatsApp: the channel with the platform's number and the businesses' own, the linking of those, callbacks,
// metrics, log lines. Its log lines are alerts, so each names the action its reader must take.

import { messagingCallbacks } from '../api/callbacks/messaging.ts';
import type { Mount } from '../api/http.ts';
import type { KnownIntake } from '../channels/channel.ts';
import { deliverySeconds, ownAccount, platformAccount } from '../channels/whatsapp/account.ts';
import { errorMeanings } from '../channels/whatsapp/errors.ts';
import { GraphClient } from '../channels/whatsapp/graph.ts';
import { linking } from '../channels/whatsapp/linking.ts';
import { type AccountChange, type AppObserver, WhatsAppChannel } from '../channels/whatsapp/whatsapp.ts';
import type { WabaPlatform } from '../core/waba/platform.ts';
import type { WabaRow } from '../db/schema.ts';
import type { OwnNumber } from '../engine/waba/numbers.ts';
import { Waba } from '../engine/waba/waba.ts';
import type { Logger } from '../telemetry/log.ts';
import { type Metrics, startAtZero } from '../telemetry/metrics.ts';
import { Seldom } from '../time/seldom.ts';
import type { Base } from './base.ts';

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

/** A refusal is logged once in this time: a wrong template would fill the log at the rate of sending. */
const silenceMs = 60_000;
/** A code without a meaning is logged once in this time: it asks for a new version, and for nothing at once. */
const unknownSilenceMs = 60 * 60_000;

function appObserver(metrics: Metrics, logger: Logger, now: () => number): AppObserver {
  const lines = new Seldom(now);
  startAtZero(metrics.appMisconfigured, [{ whose: 'deployment' }, { whose: 'business' }]);
  startAtZero(
    metrics.appReported,
    errorMeanings.map((meaning) => ({ meaning })),
  );
  const isNews = (complaint: string, silentMs = silenceMs) => lines.isDue(complaint, silentMs);
  return {
    exchange: ({ phoneNumberId, meaning, code, ms }) => {
      metrics.appExchanges.inc({ meaning });
      metrics.appSeconds.observe(ms / 1000);
      if (meaning === 'held' && isNews(`held ${phoneNumberId} ${code}`)) {
        logger.warn(
          { phone_number_id: phoneNumberId, message_status: code },
          'the messaging platform takes messages and holds them back: look at the quality of the template and the number',
        );
      }
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
    gone: (phoneNumberId) => metrics.appDown.remove({ number: phoneNumberId }),
    misconfigured: (phoneNumberId, { code, subcode, trace }, owner) => {
      metrics.appMisconfigured.inc({ whose: owner === null ? 'deployment' : 'business' });
      if (!isNews(`${phoneNumberId} ${code}`)) return;
      const about = { phone_number_id: phoneNumberId, code, subcode, fbtrace_id: trace };
      if (owner !== null) logger.warn(about, "a business's own account can not be used as it is: ours is used");
      else logger.error(about, 'the messaging platform rejects our template or number: compare both with its settings');
    },
    unknownCode: (phoneNumberId, { code, subcode, trace }) => {
      metrics.appUnknownCodes.inc();
      if (!isNews(`unknown ${code}`, unknownSilenceMs)) return;
      const about = { phone_number_id: phoneNumberId, code, subcode, fbtrace_id: trace };
      logger.warn(
        about,
        'the messaging platform gave an error code that has no meaning here: look it up, and tell the project',
      );
    },
    reported: (phoneNumberId, { meaning, code }) => {
      metrics.appReported.inc({ meaning });
      if (!isNews(`reported ${phoneNumberId} ${code}`)) return;
      logger.warn(
        { phone_number_id: phoneNumberId, code, meaning },
        'the messaging platform reports an error of the account',
      );
    },
    otherCategory: (phoneNumberId, category) => {
      metrics.appOtherCategories.inc();
      if (!isNews(`category ${category}`, unknownSilenceMs)) return;
      logger.warn(
        { phone_number_id: phoneNumberId, category: category.slice(0, maxCategory) },
        'the messaging platform charges messages in another category than messaging.tariff is for: their costs are wrong',
      );
    },
    ignored: (what, count) => metrics.appIgnored.inc({ what }, count),
  };
}

/** Characters kept of a word of the platform's. */
const maxCategory = 64;

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

/** The warning comes this long before a link dies with its token. */
const tokenWarningMs = 7 * 24 * 60 * 60_000;

function logLink(logger: Logger, row: WabaRow, now: number): void {
  warnOfToken(logger, row, now);
  const { account_id, waba_id, phone_number_id, status, step, reason, error_code } = row;
  const about = { account_id, waba_id, phone_number_id, status, step, reason, error_code };
  if (status === 'broken') logger.warn(about, "a business's own WhatsApp account is not linked");
  else if (reason) logger.info(about, "a step of linking a business's own WhatsApp account is tried again");
  else if (status === 'connected') logger.info(about, "a business's own WhatsApp account is linked");
  else logger.debug(about, "a step of linking a business's own WhatsApp account");
}

/** A token that ends is logged when the account has been linked, and daily in the week before its end. */
function warnOfToken(logger: Logger, { account_id, status, health, connected_at }: WabaRow, now: number): void {
  const endsAt = health?.tokenExpiresAt ?? null;
  if (status !== 'connected' || endsAt === null) return;
  const isNew = connected_at !== null && now - connected_at.getTime() < 60_000;
  if (!isNew && endsAt - now > tokenWarningMs) return;
  const about = { account_id, token_expires_at: new Date(endsAt) };
  logger.warn(about, "the token of a business's own WhatsApp account ends: the business must link it again before");
}
