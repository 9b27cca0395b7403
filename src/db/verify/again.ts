// Statements that count in rows (wrong codes, tokens, places) must not count from a row they can't see: one that another process has
// inserted since the statement's snapshot was taken. They insert without ON CONFLICT, so that such a row makes them fail as a whole.
// What failed did nothing, and its next run sees the row.

/** Primary keys of the rows that are counted in. */
const counted = new Set(['number_failure_pkey', 'rate_bucket_pkey', 'pending_number_pkey']);

/** Each run loses to another row that was new at that moment: more than a few in a row means something is wrong. */
const maxRuns = 10;

const isRace = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && counted.has(constraint ?? '');
};

/** Runs a statement that is a transaction of its own until it met no row that was inserted meanwhile. */
export async function again<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs >= maxRuns || !isRace(error)) throw error;
    }
  }
}
