// How a group of settings is declared: the file says snake_case, the code reads camelCase, unknown keys are refused.
// The settings themselves are in the files beside this one.

import { z } from 'zod';

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export type CamelKeys<T> = { [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: T[Key] };

/** Declares one strict group of settings. Only its own keys change case: keys of maps (error codes, states) are data. */
export function settings<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).transform((value) => camelKeys(value));
}

function camelKeys<T extends object>(value: T): CamelKeys<T> {
  const entries = Object.entries(value).map(([key, entry]) => [camelCase(key), entry]);
  return Object.fromEntries(entries) as CamelKeys<T>;
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
