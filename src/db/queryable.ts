// What a hot statement needs of a connection or pool: a named statement with its values. A Kysely transaction can be one, too.

import { CompiledQuery, type Kysely } from 'kysely';

export interface Queryable {
  query<Row>(statement: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: Row[]; rowCount: number | null }>;
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
