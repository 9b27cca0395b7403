// Metrics and log lines of WhatsApp: of its channel, and of the links to businesses' own accounts. The log lines are alerts, so each names
// the action its reader must take.

import { errorMeanings } from '../channels/whatsapp/errors.ts';
import type { AppObserver } from '../channels/whatsapp/whatsapp.ts';
import type { WabaRow } from '../db/schema.ts';
import type { Logger } from '../telemetry/log.ts';
import { type Metrics, startAtZero } from '../telemetry/metrics.ts';
import { Seldom } from '../time/seldom.ts';

/** A refusal is logged once in this time: a wrong template would fill the log at the rate of sending. */
const silenceMs = 60_000;
/** A code without a meaning is logged once in this time: it asks for a new version, and for nothing at once. */
const unknownSilenceMs = 60 * 60_000;

export function appObserver(metrics: Metrics, logger: Logger, now: () => number): AppObserver {
  const lines = new Seldom(now);
  startAtZero(metrics.appMisconfigured, [{ whose: 'deployment' }, { whose: 'business' }]);
  startAtZero(
    metrics.appReported,
    errorMeanings.map((meaning) => ({ meaning })),
  );
  /** Of each number that is or was down. */
  const owners = new Map<string, ReturnType<typeof whoseOf>>();
  const labelsOf = (number: string) => ({ number, whose: owners.get(number) ?? 'deployment' });
  const show = (number: string, value: 0 | 1) => metrics.appDown.set(labelsOf(number), value);
  const forget = (number: string): void => {
    metrics.appDown.remove(labelsOf(number));
    owners.delete(number);
  };
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
      forget(phoneNumberId); // It may have been another's.
      owners.set(phoneNumberId, whoseOf(owner));
      show(phoneNumberId, 1);
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
      show(phoneNumberId, 0);
      logger.info({ phone_number_id: phoneNumberId }, 'the messaging platform takes messages again');
    },
    gone: forget,
    misconfigured: (phoneNumberId, { code, subcode, trace }, owner) => {
      metrics.appMisconfigured.inc({ whose: whoseOf(owner) });
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
        { phone_number_id: phoneNumberId, category: category.slice(0, maxCategory).toWellFormed() },
        'the messaging platform charges messages in another category than messaging.tariff is for: their costs are wrong',
      );
    },
    ignored: (what, count) => metrics.appIgnored.inc({ what }, count),
  };
}

/** `owner`: name of the business that a number is of; null = the deployment's own. */
const whoseOf = (owner: string | null) => (owner === null ? 'deployment' : 'business');

/** Characters kept of a word of the platform's. */
const maxCategory = 64;

/** The warning comes this long before a link dies with its token. */
const tokenWarningMs = 7 * 24 * 60 * 60_000;

/** Logs a change of a link, at the level that it asks of its reader. */
export function logLink(logger: Logger, row: WabaRow, now: number): void {
  warnOfToken(logger, row, now);
  const { account_id, waba_id, phone_number_id, status, step, reason, error_code } = row;
  const about = { account_id, waba_id, phone_number_id, status, step, reason, error_code };
  if (status === 'broken') logger.warn(about, "a business's own WhatsApp account is not linked");
  else if (status === 'suspended') logSuspended(logger, row, about);
  else if (status === 'disconnected') logger.info(about, "the link of a business's own WhatsApp account has ended");
  else if (reason) logger.info(about, "a step of linking a business's own WhatsApp account is tried again");
  else if (status === 'connected') logger.info(about, "a business's own WhatsApp account is linked");
  else logger.debug(about, "a step of linking a business's own WhatsApp account");
}

/** A warning once it is suspended, and not at each look after that. */
function logSuspended(logger: Logger, { reason, step_since, updated_at }: WabaRow, about: object): void {
  // The save that suspends a link stores the same time in both.
  if (step_since?.getTime() !== updated_at.getTime())
    logger.debug(about, "a business's own WhatsApp account is still stopped by the platform");
  else if (reason === 'permission_missing')
    logger.warn(
      about,
      "the platform refuses this app's calls for a business's own WhatsApp account: check the app's advanced access and its Data Use Checkup; the deployment's number is used",
    );
  else
    logger.warn(about, "a business's own WhatsApp account is stopped by the platform: the deployment's number is used");
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
