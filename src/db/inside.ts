// Lets plain SQL statements take part in a Kysely transaction.

import { CompiledQuery, type Kysely } from 'kysely';
import type { Queryable } from './queryable.ts';

/** The transaction (or database) as the statements over `Queryable` want it. Names are made from the text, by the client. */
export function inside<Schema>(tx: Kysely<Schema>): Queryable {
  return {
    async query<Row>({ text, values }: { name: string; text: string; values: unknown[] }) {
      const { rows, numAffectedRows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, values));
      return { rows, rowCount: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) };
    },
  };
}
