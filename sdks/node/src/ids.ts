// Whether an answer is about what was asked: sockets that two processes share, or a cache on the way, mix answers up.

import { camel, isObject, type Json } from './codec.ts';
import { Mismatch } from './foreign.ts';
import type { Operation } from './operation.ts';
import { pathValues } from './request.ts';

/** What the request says of the ids that the answer must have. */
export function askedIds(operation: Operation, path: readonly string[], request: object): Record<string, unknown> {
  const given = isObject(request) ? request : {};
  const inBody = (operation.ids ?? []).map((name) => [name, given[camel(name)] ?? given[name]]);
  return { ...Object.fromEntries(inBody), ...pathValues(operation, path) };
}

/** @param asked what the request says of them. Throws a Mismatch at another id: it would be somebody else's answer. */
export function checkIds(ids: readonly string[], answer: Json, asked: Readonly<Record<string, unknown>>): void {
  for (const name of ids) {
    const id = answer[camel(name)];
    if (id === undefined || id === '') throw new Mismatch(`${name} is missing`);
    if (asked[name] && asked[name] !== id) throw new Mismatch(`another ${name} than asked for`);
  }
}
