// What a hot statement needs of a connection or pool: a named statement with its values.

export interface Queryable {
  query<Row>(statement: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: Row[]; rowCount: number | null }>;
}
