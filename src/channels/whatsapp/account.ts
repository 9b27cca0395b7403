// Whose number a message goes out from: the platform's own, or a business's. What is needed to send and to bill.

import type { MessagingConfig, TariffConfig } from '../../config.ts';
import { type BilledBy, type Tariff, tariffAt } from '../../core/money/cost.ts';
import type { Language } from '../../core/verify/session.ts';

export interface AppAccount {
  /** The Graph API's id of the number, which is not the number. */
  phoneNumberId: string;
  /** Base address and version: `https://graph.facebook.com/v25.0`. */
  graphUrl: string;
  accessToken: string;
  template: { name: string; languages: Readonly<Record<Language, string>> };
  ratePerSecond: number;
  /** Between two messages to one phone. */
  pairIntervalMs: number;
  responseTimeoutMs: number;
  tariff: readonly TariffConfig[];
  billedBy: BilledBy;
  /** Name of the business whose own number it is; null = the platform's. */
  ownerName: string | null;
}

/** What a status of a message needs to know of the number it went out from. */
export type AppBilling = Pick<AppAccount, 'tariff' | 'billedBy'>;

/** The platform's own number, as configured. */
export function platformAccount(config: MessagingConfig): AppAccount {
  const { phoneNumberId, accessToken, template, ratePerSecond, responseTimeoutMs, tariff } = config;
  return {
    phoneNumberId,
    accessToken,
    template,
    ratePerSecond,
    responseTimeoutMs,
    tariff,
    graphUrl: `${config.graphBaseUrl.replace(/\/+$/, '')}/${config.graphVersion}`,
    pairIntervalMs: config.pairIntervalSeconds * 1000,
    billedBy: 'service',
    ownerName: null,
  };
}

/** A business's own number: the same app and template, the business's token, and the platform's bill goes to the business. */
export function ownAccount(
  config: MessagingConfig,
  own: { phoneNumberId: string; token: string; displayName: string },
): AppAccount {
  const { phoneNumberId, token: accessToken, displayName: ownerName } = own;
  return { ...platformAccount(config), phoneNumberId, accessToken, ownerName, billedBy: 'platform' };
}

export function tariffOf({ tariff, billedBy }: AppBilling, now: number): Tariff | null {
  const cards = tariff.map(({ version, validFrom, currency, amount, charged }) => ({
    version,
    currency,
    charged,
    billedBy,
    amountPerPart: amount,
    validFrom: Date.parse(validFrom),
  }));
  return tariffAt(cards, now) ?? null;
}
