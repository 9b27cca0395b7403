// Points: a measure of how much an account's sends to neighbouring numbers look like pumping. A send that is not verified adds points, a
// verification takes many off, and at a hundred the numbers are stopped.
//
// The points are those of a sequential probability ratio test (Wald 1945), with 16 nats as 100 points: the logarithm of how much more likely
// the sends seen so far are where 1 in 100 codes is entered (pumping) than where 1 in 5 is (honest traffic at its worst). So a verification
// is worth ln(0.2 / 0.01) = 3 nats and a send that nobody verifies ln(0.99 / 0.8) = 0.21; the two balance where 6 of 100 sends are verified.
// Honest traffic, counted from a given send on, ever reaches a hundred with a probability of e^-16 at most (Wald's bound).

/** Points at which the numbers are stopped. */
export const stopPoints = 100;

/** What a verification takes off. */
export const verifiedPoints = 20;

/** Sends, by whether their code was entered: `checked` were compared here with a code that was made here, `claimed` were made by the caller. */
export interface Entered {
  sent: number;
  checked: number;
  claimed: number;
}

/**
 * What of the points is left at the least, however many codes of the caller's own were entered: that they were is the caller's word, which a
 * stolen key gives as well. The phones of one company stay below a hundred; a script that claims everything needs four times as many sends.
 */
const leftOfClaimed = 0.25;

/** The points of sends of which each adds `each` while it is not verified. */
export function sendPoints({ sent, checked, claimed }: Entered, each: number): number {
  const points = (verified: number) => (sent - verified) * each - verified * verifiedPoints;
  return Math.max(points(checked + claimed), points(checked) * leftOfClaimed);
}

const nat = stopPoints / 16;
const honest = 0.2;
const pumped = 0.01;

/**
 * How many of those who will enter their code at all have done so after `ageMs`, in a population that is slow: half of them after three minutes.
 * A faster one is only judged more mildly.
 */
const enteredAfter = (ageMs: number): number => (ageMs <= 0 ? 0 : 1 / (1 + (180_000 / ageMs) ** 2.2));

/** What a send adds that was not verified in the `ageMs` since: next to nothing at first, 1.3 in the end. */
export function unverifiedPoints(ageMs: number): number {
  const entered = enteredAfter(ageMs);
  return nat * Math.log((1 - pumped * entered) / (1 - honest * entered));
}
