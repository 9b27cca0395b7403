// The running of plain SQL: the interface that a statement needs of a connection, a pool or a Kysely transaction, and the repetition of
// statements that count in rows.

import { CompiledQuery, type Kysely } from 'kysely';

export interface Queryable {
  query<Row>(statement: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: Row[]; rowCount: number | null }>;
  /** Where that is known: which partition holds which rows (partitions/places.ts). */
  readonly places?: Placement;
}

/** A name for SQL: of the partition that holds all rows with these ids, or of the whole table. */
export type PlaceOf = (table: string, ids: readonly string[]) => string;

export interface Placement {
  of: PlaceOf;
  /** All rows are looked for in whole tables, until partitions are known again. */
  forget(): void;
}

/**
 * What an API call reads by: anything but the lanes' pool (client.ts), whose few connections are for sends and checks. Six long lists on
 * it would stop them all; the purpose keeps it from being passed here by mistake.
 */
export type Reads = Queryable & { readonly purpose?: 'reads' };

/** The transaction (or database) as the statements over `Queryable` want it. Names are made from the text, by the client. */
export function inside<Schema>(tx: Kysely<Schema>): Queryable {
  return {
    async query<Row>({ text, values }: { name: string; text: string; values: unknown[] }) {
      const { rows, numAffectedRows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, values));
      return { rows, rowCount: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) };
    },
  };
}

/** Primary keys of the rows that are counted in. */
const counted = new Set(['number_failure_pkey', 'rate_bucket_pkey', 'pending_number_pkey', 'budget_pkey']);

/** Each run loses to another row that was new at that moment: more than a few in a row means something is wrong. */
const maxRuns = 10;

const isRace = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && counted.has(constraint ?? '');
};

/**
 * Repeats a statement, which is a transaction of its own, until it meets no row that was inserted meanwhile. A statement that counts in
 * rows (wrong codes, tokens, pending sessions) must not miss a row that another process has inserted since its snapshot was taken. It
 * inserts without ON CONFLICT, so that a row it can't see makes it fail as a whole: nothing was done, and the next run sees the row.
 */
export async function again<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs >= maxRuns || !isRace(error)) throw error;
    }
  }
}
