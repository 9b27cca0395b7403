// Whose number a message goes out from: the platform's own, later a business's too. What is needed to send and to bill.

import type { MessagingConfig, TariffConfig } from '../../config.ts';
import { type BilledBy, type Tariff, tariffAt } from '../../core/cost.ts';
import type { Language } from '../../core/session.ts';

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
}

/** The platform's own number, as configured. */
export function platformAccount(config: MessagingConfig): AppAccount {
  const { phoneNumberId, accessToken, template, ratePerSecond, responseTimeoutMs, tariff } = config;
  return {
    ...{ phoneNumberId, accessToken, template, ratePerSecond, responseTimeoutMs, tariff },
    graphUrl: `${config.graphBaseUrl.replace(/\/+$/, '')}/${config.graphVersion}`,
    pairIntervalMs: config.pairIntervalSeconds * 1000,
    billedBy: 'service',
  };
}

export function tariffOf({ tariff, billedBy }: AppAccount, now: number): Tariff | null {
  const cards = tariff.map(({ version, validFrom, currency, amount, charged }) => ({
    ...{ version, currency, charged, billedBy, amountPerPart: amount, validFrom: Date.parse(validFrom) },
  }));
  return tariffAt(cards, now) ?? null;
}
