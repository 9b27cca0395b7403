// One declaration of a batch's columns yields the unnest list of its SQL, the parameter arrays and the row's type.

import { arrayText, type Values, type Wire } from './array-text.ts';

const sqlType: Record<Wire, string> = {
  text: 'text',
  integer: 'integer',
  boolean: 'boolean',
  ms: 'bigint',
  json: 'jsonb',
  bytea: 'bytea',
};

export type RowOf<Spec extends Record<string, Wire>> = { [Name in keyof Spec]: Values[Spec[Name]] };

export interface Columns<Row> {
  names: string[];
  /** How many parameters the batch takes. */
  count: number;
  /** `select … from unnest($first::…[], …)`: the batch as a relation, its parameters numbered from `first`. */
  select(first: number): string;
  /** One array a column, in the order of `select`, as text. */
  parameters(rows: readonly Row[]): string[];
}

export function columns<Spec extends Record<string, Wire>>(spec: Spec): Columns<RowOf<Spec>> {
  const entries = Object.entries(spec);
  const names = entries.map(([name]) => name);
  const outputs = entries.map(([name, wire]) =>
    wire === 'ms' ? `to_timestamp(${name} / 1000::double precision) as ${name}` : name,
  );
  return {
    names,
    count: names.length,
    select: (first) => {
      const arrays = entries.map(([, wire], index) => `$${first + index}::${sqlType[wire]}[]`);
      return `select ${outputs.join(', ')} from unnest(${arrays.join(', ')}) as batch(${names.join(', ')})`;
    },
    parameters: (rows) => entries.map(([name, wire]) => arrayText(wire, rows, name)),
  };
}

/** `a = s.a and …`: joins two relations on columns of the same name. */
export const on = (left: string, right: string, ...names: string[]): string =>
  names.map((name) => `${left}.${name} = ${right}.${name}`).join(' and ');
