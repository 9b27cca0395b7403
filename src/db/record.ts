// A record declared once: which field of the domain is which column, and how each travels. A forgotten field and a misspelt one fail to
// compile at the declaration; names, parameter arrays and both mappings follow from it.

import type { Snake } from '../core/snake-case.ts';
import { type Column, type Columns, columnsOf, type Wire } from './columns.ts';

/** The ways in which a value of this type may travel. */
type WireOf<Value> = [Value] extends [string]
  ? 'text' | 'hex'
  : [Value] extends [number]
    ? 'integer' | 'ms'
    : [Value] extends [boolean]
      ? 'boolean'
      : [Value] extends [Buffer]
        ? 'bytea'
        : [Value] extends [readonly string[]]
          ? 'json' | 'texts'
          : 'json';

/** How a field travels; with its column's name where that is not the field's own in snake case. */
type FieldSpec<Value> = WireOf<Value> | readonly [wire: WireOf<Value>, column: string];
type Spec<T> = { readonly [Key in keyof T]-?: FieldSpec<NonNullable<T[Key]>> };
/** What is in the declaration and not in the record is a slip. */
type Only<T, S> = S & { readonly [Key in Exclude<keyof S, keyof T>]: never };

type ColumnName<S, Key extends keyof S & string> = S[Key] extends readonly [Wire, infer Name extends string]
  ? Name
  : Snake<Key>;
type WireIn<S, Key extends keyof S> = S[Key] extends readonly [infer W, string] ? W : S[Key];

/** A time as the driver gives it (a Date) or as `to_jsonb` writes it (ISO text); likewise octets. */
type Read<W, Value> = W extends 'ms'
  ? Date | string | Extract<Value, null>
  : W extends 'hex'
    ? Buffer | string | Extract<Value, null>
    : Value;

/** A time and JSON as the driver takes them in a single row. */
type Written<W, Value> = W extends 'ms'
  ? Date | Extract<Value, null>
  : W extends 'json'
    ? string | Extract<Value, null>
    : W extends 'hex'
      ? Buffer | Extract<Value, null>
      : Value;

export interface TableRecord<T, S> extends Columns<T> {
  /** From a row of the driver, or from one that `to_jsonb` wrote; columns of no field are passed over. */
  fromRow(row: { [Key in keyof S & keyof T & string as ColumnName<S, Key>]: Read<WireIn<S, Key>, T[Key]> }): T;
  /** For statements over a single row. */
  toRow(record: T): { [Key in keyof S & keyof T & string as ColumnName<S, Key>]: Written<WireIn<S, Key>, T[Key]> };
  /** Whether a value from another process has the record's fields, each of its type or null. */
  fits(value: unknown): boolean;
  /** Some of the fields, in the record's order. */
  pick<Key extends keyof T & keyof S>(...keys: Key[]): TableRecord<Pick<T, Key>, Pick<S, Key>>;
  /** All fields but these. */
  omit<Key extends keyof T & keyof S>(...keys: Key[]): TableRecord<Omit<T, Key>, Omit<S, Key>>;
}

/** A row that `fromRow` of this record takes. */
export type RowOf<R> = R extends { fromRow(row: infer Row): unknown } ? Row : never;

/** `record<Message>()({ id: 'text', createdAt: 'ms', to: ['text', 'number'] })`. */
export const record =
  <T extends object>() =>
  <const S extends Spec<T>>(spec: Only<T, S>): TableRecord<T, S> =>
    made(Object.entries<Wire | readonly [Wire, string]>(spec).map(toColumn));

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toColumn([field, spec]: [string, Wire | readonly [Wire, string]]): Column {
  return typeof spec === 'string' ? { field, wire: spec, name: snake(field) } : { field, wire: spec[0], name: spec[1] };
}

type Values = Record<string, unknown>;

function made<T extends object, S>(columns: readonly Column[]): TableRecord<T, S> {
  // Copied for every row: an object to which a dozen fields are added one by one, by their names, is a slow one in V8 for all its life.
  const empty: Values = JSON.parse(JSON.stringify(Object.fromEntries(columns.map(({ field }) => [field, null]))));
  const plain = columns.filter(({ wire }) => !reads[wire]);
  const converted = columns.flatMap(({ field, name, wire }) =>
    reads[wire] ? [{ field, name, read: reads[wire] }] : [],
  );
  const isAmong = (keys: readonly PropertyKey[]) => (column: Column) => keys.includes(column.field);
  return {
    ...columnsOf(columns),
    fromRow(row) {
      const values = { ...empty };
      for (const { field, name } of plain) values[field] = (row as Values)[name] ?? null;
      for (const { field, name, read } of converted) {
        const value = (row as Values)[name];
        if (value !== null && value !== undefined) values[field] = read(value);
      }
      return values as T;
    },
    toRow: (from) =>
      Object.fromEntries(
        columns.map(({ field, name, wire }) => {
          const value = (from as Values)[field];
          return [name, value === null || value === undefined ? null : (writes[wire]?.(value) ?? value)];
        }),
      ) as ReturnType<TableRecord<T, S>['toRow']>,
    fits: (value) => columns.every(({ field, wire }) => isOf(wire, Object(value)[field])),
    pick: (...keys) => made(columns.filter(isAmong(keys))),
    omit: (...keys) => made(columns.filter((column) => !isAmong(keys)(column))),
  };
}

function isOf(wire: Wire, value: unknown): boolean {
  if (value === null) return true;
  switch (wire) {
    case 'integer':
    case 'ms':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'json':
      return typeof value === 'object';
    case 'texts':
      return Array.isArray(value);
    case 'bytea':
      return Buffer.isBuffer(value);
    default:
      return typeof value === 'string';
  }
}

type Convert = (value: unknown) => unknown;

/** What is not here comes as it is. `to_jsonb` writes a bytea as `\x` and hexadecimal digits. */
const reads: { readonly [W in Wire]?: Convert } = {
  ms: (value) => (typeof value === 'string' ? Date.parse(value) : (value as Date).getTime()),
  hex: (value) => (typeof value === 'string' ? value.slice(2) : (value as Buffer).toString('hex')),
};

const writes: { readonly [W in Wire]?: Convert } = {
  ms: (value) => new Date(value as number),
  json: (value) => JSON.stringify(value),
  hex: (value) => Buffer.from(value as string, 'hex'),
};
