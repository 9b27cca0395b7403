// The text in which entries of a timeline are stored: one JSON array an entry, its fields by their places and without their names, which would be
// more than half of it. A field that is added goes to the end; places never change.

import type { TimelineEntry } from '../../core/verify/session.ts';

type Field = keyof TimelineEntry;

const places = [
  'at',
  'kind',
  'run',
  'position',
  'channel',
  'messageId',
  'reason',
  'detail',
  'call',
  'operation',
  'rule',
] as const satisfies readonly Field[];

/** Fails to compile while a field of an entry has no place. */
type Forgotten = Exclude<Field, (typeof places)[number]>;
const complete: [Forgotten] extends [never] ? true : never = true;

export type StoredEntry = readonly unknown[];

export function encodeTimeline(entries: readonly TimelineEntry[]): string {
  return JSON.stringify(complete && entries.map(toStored));
}

function toStored(entry: TimelineEntry): StoredEntry {
  const values: unknown[] = places.map((field) => entry[field] ?? null);
  while (values.at(-1) === null) values.pop();
  return values;
}

export const decodeTimeline = (stored: readonly StoredEntry[]): TimelineEntry[] => stored.map(fromStored);

function fromStored(values: StoredEntry): TimelineEntry {
  const entry: Partial<Record<Field, unknown>> = {};
  for (const [place, field] of places.entries()) {
    const value = values[place];
    if (value !== null && value !== undefined) entry[field] = value;
  }
  return entry as unknown as TimelineEntry;
}
