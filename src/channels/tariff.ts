// The price of a message: of the rate cards that the configuration has for a carrier, the one in force, in the words of core.

import { type Tariff, tariffAt } from '../core/money/cost.ts';

/** What the rate cards of all channels have. */
interface RateCard extends Pick<Tariff, 'version' | 'currency' | 'charged'> {
  validFrom: string;
  amount: string;
}

/** The card in force at `at` (Unix ms); null before the first. `more`: what cards of this channel say beyond the rest. */
export function tariffInForce<Card extends RateCard>(
  cards: readonly Card[],
  at: number,
  more: (card: Card) => Pick<Tariff, 'unitSeconds' | 'minimumSeconds' | 'billedBy'> = () => ({}),
): Tariff | null {
  const tariffs = cards.map((card): Tariff => {
    const { version, validFrom, currency, amount, charged } = card;
    return { version, validFrom: Date.parse(validFrom), currency, amountPerPart: amount, charged, ...more(card) };
  });
  return tariffAt(tariffs, at) ?? null;
}
