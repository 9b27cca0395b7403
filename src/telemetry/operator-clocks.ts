// Clocks of operators, as the dates of their receipts show them. A date that is off by the same whole quarter of an hour again and again is
// no late receipt but a wrong `time_zone`. Times are arguments, in Unix ms.

const quarterMs = 900_000;
/** A date may be cut to the minute, and its receipt takes a moment. */
const toleranceMs = 120_000;
const sameInARow = 5;

export class OperatorClocks {
  readonly #seen = new Map<string, { offsetMs: number; count: number }>();

  /** The offset in minutes, once, when so many receipts in a row have shown the same one; else null. */
  see(operator: string, operatorTimestamp: number, receivedAt: number): number | null {
    const differenceMs = operatorTimestamp - receivedAt;
    const offsetMs = Math.round(differenceMs / quarterMs) * quarterMs;
    const isOff = offsetMs !== 0 && Math.abs(differenceMs - offsetMs) <= toleranceMs;
    if (!isOff) {
      this.#seen.delete(operator);
      return null;
    }
    const before = this.#seen.get(operator);
    const count = before?.offsetMs === offsetMs ? before.count + 1 : 1;
    this.#seen.set(operator, { offsetMs, count });
    return count === sameInARow ? offsetMs / 60_000 : null;
  }
}
