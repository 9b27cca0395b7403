// What a hot statement needs of a connection or pool: a named statement with its values.

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
