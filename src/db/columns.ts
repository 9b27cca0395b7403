// The columns of a batch: one declaration yields the unnest list of its SQL and the parameter arrays, so that the two can't differ. A
// parameter array is written here as text, because pg's own conversion took a fifth of all the server's time.

/**
 * How a column travels: `ms` is a time in Unix milliseconds that becomes a timestamptz, `json` any JSON value, `hex` octets in hexadecimal
 * that become a bytea, `texts` a list that becomes a text[].
 */
export type Wire = 'text' | 'integer' | 'boolean' | 'ms' | 'json' | 'bytea' | 'hex' | 'texts';

/** Values of an element of each wire. */
export interface Values {
  text: string | null;
  integer: number | null;
  boolean: boolean | null;
  ms: number | null;
  json: unknown;
  bytea: Buffer | null;
  hex: string | null;
  texts: readonly string[] | null;
}

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

/** Wires whose elements are converted to the column's type in the select list. */
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

/** Columns of a statement's own batch, whose rows have the names of these columns. */
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

/**
 * A Postgres array as text ("Array Input and Output Syntax" in its manual): `{"a","b",NULL}` of one field of these rows; undefined is
 * null. pg converts each element with two regular expressions.
 */
function arrayText(wire: Wire, rows: readonly object[], field: string): string {
  const elementText = elements[wire] as (value: unknown) => string;
  let text = '{';
  let comma = '';
  for (const row of rows) {
    const value = (row as Record<string, unknown>)[field];
    text += comma + (value === undefined || value === null ? 'NULL' : elementText(value));
    comma = ',';
  }
  return `${text}}`;
}

const special = /["\\]/;
const control = /\p{Cc}/u;

/**
 * In quotes a comma, a brace, the empty text and the word NULL are text like any other. Quotes and backslashes are escaped as in JSON, which
 * is native: bodies of events are full of quotes, and replacing them one by one was two fifths of what a save costs this process before it is
 * sent. JSON also escapes control characters and halves of surrogate pairs, in a way that an array does not know.
 */
function quoted(text: string): string {
  if (!special.test(text)) return `"${text}"`;
  if (control.test(text) || !text.isWellFormed()) return `"${text.replace(/["\\]/g, '\\$&')}"`;
  return JSON.stringify(text);
}

const elements: { [W in Wire]: (value: NonNullable<Values[W]>) => string } = {
  text: quoted,
  integer: String,
  boolean: String,
  ms: String,
  // JSON has no control characters left, so that quoting it once more as JSON only escapes quotes and backslashes: the
  // escaping of an array, and native.
  json: (value) => JSON.stringify(JSON.stringify(value)),
  bytea: (value) => `"\\\\x${value.toString('hex')}"`,
  hex: (value) => `"\\\\x${value}"`,
  texts: (value) => quoted(`{${value.map(quoted).join(',')}}`),
};
