// A column of a batch as the text of a Postgres array ("Array Input and Output Syntax" in its manual). pg can do this too, element by
// element with two regular expressions each: that was a fifth of all the server's time.

/** How a column travels: `ms` is a time in Unix milliseconds that becomes a timestamptz, `json` any JSON value. */
export type Wire = 'text' | 'integer' | 'boolean' | 'ms' | 'json' | 'bytea';

/** What an element of each may be, beside null. */
export interface Values {
  text: string | null;
  integer: number | null;
  boolean: boolean | null;
  ms: number | null;
  json: unknown;
  bytea: Buffer | null;
}

/** `{"a","b",NULL}` of one field of these rows; undefined is null. */
export function arrayText<Row>(wire: Wire, rows: readonly Row[], name: keyof Row): string {
  const elementText = elements[wire] as (value: unknown) => string;
  let text = '{';
  let comma = '';
  for (const row of rows) {
    const value = row[name];
    text += comma + (value === undefined || value === null ? 'NULL' : elementText(value));
    comma = ',';
  }
  return `${text}}`;
}

const special = /["\\]/;

/** In quotes a comma, a brace, nothing at all and the word NULL are text like any other. */
const quoted = (text: string): string => (special.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`);

const elements: { [W in Wire]: (value: NonNullable<Values[W]>) => string } = {
  text: quoted,
  integer: String,
  boolean: String,
  ms: String,
  // JSON has no control characters left, so that quoting it once more as JSON only escapes quotes and backslashes: what an array
  // wants, and native.
  json: (value) => JSON.stringify(JSON.stringify(value)),
  bytea: (value) => `"\\\\x${value.toString('hex')}"`,
};
