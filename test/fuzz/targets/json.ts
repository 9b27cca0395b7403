// Changes a JSON document as a tree: values by values of other types, fields by other fields, lists by longer ones.
import type { Random } from '../random.ts';

type Json = unknown;

const odd: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -0,
  2 ** 31,
  2 ** 53,
  4294967296,
  '',
  ' ',
  '0',
  '6',
  'sms',
  'é',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '+213550000001',
  '2026-01-01T00:00:00Z',
  'https://a.example',
  'x'.repeat(300),
  '9'.repeat(40),
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  ['sms', 'sms'],
];

function randomValue(random: Random, words: readonly string[]): Json {
  return random.chance(0.3) ? random.pick(words) : structuredClone(random.pick(odd));
}

/** A copy with one to a few places changed. */
export function mutateJson(document: Json, random: Random, words: readonly string[]): Json {
  let result = structuredClone(document);
  do result = changed(result, random, words, 0);
  while (random.chance(0.4));
  return result;
}

function changed(value: Json, random: Random, words: readonly string[], depth: number): Json {
  const stop = random.chance(depth === 0 ? 0.02 : 0.25);
  if (stop || typeof value !== 'object' || value === null) return randomValue(random, words);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    if (at === value.length)
      return [...value, value.length > 0 && random.chance(0.5) ? value[0] : randomValue(random, words)];
    if (random.chance(0.1)) return value.toSpliced(at, 1);
    return value.with(at, changed(value[at], random, words, depth + 1));
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  if (at === entries.length) return fromEntries([...entries, [random.pick(words), randomValue(random, words)]]);
  if (random.chance(0.1)) return fromEntries(entries.toSpliced(at, 1));
  const [name, old] = entries[at]!;
  return fromEntries(entries.with(at, [name, changed(old, random, words, depth + 1)]));
}

/** With `__proto__` as a field of its own, as a parser makes it. */
const fromEntries = (entries: [string, Json][]): Json => JSON.parse(JSON.stringify(Object.fromEntries(entries)));
