// The columns of a batch: one declaration yields the unnest list of its SQL and the parameter arrays, so that the two can't differ.

import { arrayText, type Values, type Wire } from './array-text.ts';

const sqlType: Record<Wire, string> = {
  text: 'text',
  integer: 'integer',
  boolean: 'boolean',
  ms: 'bigint',
  json: 'jsonb',
  bytea: 'bytea',
  hex: 'bytea',
  texts: 'text',
};

/** Wires whose elements become what the column holds only in the select list. */
const converted: { readonly [W in Wire]?: (name: string) => string } = {
  ms: (name) => `to_timestamp(${name} / 1000::double precision) as ${name}`,
  texts: (name) => `${name}::text[] as ${name}`,
};

/** One column, and the field of a row that it is filled from. */
export interface Column {
  name: string;
  wire: Wire;
  field: string;
}

/** A batch as a relation. */
export interface Relation {
  names: readonly string[];
  /** How many parameters the batch takes. */
  count: number;
  /** `select … from unnest($first::…[], …)`: the batch as a relation, its parameters numbered from `first`. */
  select(first: number): string;
}

export interface Columns<Row> extends Relation {
  columns: readonly Column[];
  /** One array a column, in the order of `select`, as text. */
  parameters(rows: readonly Row[]): string[];
}

export function columnsOf<Row extends object>(list: readonly Column[]): Columns<Row> {
  return {
    ...relationOf(list),
    columns: list,
    parameters: (rows) => list.map(({ wire, field }) => arrayText(wire, rows, field)),
  };
}

/** Of a statement's own batch, whose rows have the names of its columns. */
export const columns = <const Spec extends Record<string, Wire>>(spec: Spec): Columns<RowOf<Spec>> =>
  columnsOf(Object.entries(spec).map(([name, wire]) => ({ name, wire, field: name })));

type RowOf<Spec extends Record<string, Wire>> = { [Name in keyof Spec]: Values[Spec[Name]] };

/** One relation of columns that are filled from several lists of rows, as long as each other; the lists' parameters follow one another. */
export const together = (...parts: readonly { columns: readonly Column[] }[]): Relation =>
  relationOf(parts.flatMap((part) => part.columns));

function relationOf(list: readonly Column[]): Relation {
  const names = list.map(({ name }) => name);
  const outputs = list.map(({ name, wire }) => converted[wire]?.(name) ?? name);
  return {
    names,
    count: names.length,
    select: (first) => {
      const arrays = list.map(({ wire }, index) => `$${first + index}::${sqlType[wire]}[]`);
      return `select ${outputs.join(', ')} from unnest(${arrays.join(', ')}) as batch(${names.join(', ')})`;
    },
  };
}

/** `a = s.a and …`: joins two relations on columns of the same name. */
export const on = (left: string, right: string, ...names: string[]): string =>
  names.map((name) => `${left}.${name} = ${right}.${name}`).join(' and ');
