// What a check finds: every breach with its ids, so that it can be looked up in the database and the logs.

export interface Violation {
  /** Which promise was broken, in a few words; the same for every breach of it. */
  promise: string;
  detail: string;
}

/** Collects breaches of promises. */
export class Findings {
  readonly violations: Violation[] = [];

  /** Notes a breach unless `kept` holds. */
  expect(kept: boolean, promise: string, detail: () => string): void {
    if (!kept) this.violations.push({ promise, detail: detail() });
  }
}

/** Groups by a key. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, keyOf);
}
