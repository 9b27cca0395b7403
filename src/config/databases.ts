// The databases of the environment: DATABASE_URL, and DATABASE_CELLS, which names those beside it that sessions are in, and which shards from
// when on. It is JSON, and a file may hold it, because its URLs have passwords.

import { z } from 'zod';
import { parseDatabaseUrl } from '../core/database-url.ts';
import { type CellEpoch, CellMap, homeCell } from '../core/fleet/cells.ts';
import { shardCount } from '../core/ids.ts';
import { type ConfigProblem, type ConfigSources, type Loaded, problemsOf, twiceIn, wording } from './problem.ts';
import { withSecretFiles } from './secret-files.ts';

export interface CellsConfig {
  map: CellMap;
  /** URLs by the name of their cell; home's is not among them. */
  urls: ReadonlyMap<string, string>;
}

const variable = 'DATABASE_CELLS';

/** A name also stands in metrics and in the log. */
const cellName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'is no name of a cell: 1-32 of a-z, 0-9, _ and -, beginning with a letter')
  .refine((name) => name !== homeCell, `is the cell of DATABASE_URL, and is not listed`);

export const databaseUrl = z.string().superRefine((text, context) => {
  const parsed = parseDatabaseUrl(text);
  if (parsed.kind === 'invalid') context.addIssue({ code: 'custom', message: parsed.message });
});

const shards = z
  .string()
  .regex(/^\d{1,4}(-\d{1,4})?$/, `is no range of shards: first-last, from 0 to ${shardCount - 1}`);

const schema = z.strictObject({
  cells: z.record(cellName, databaseUrl),
  epochs: z
    .array(
      z.strictObject({
        from: z.iso.datetime({ error: 'must be a time in UTC, such as 2026-12-01T00:00:00Z' }).transform(Date.parse),
        shards: z.record(shards, z.string()),
      }),
    )
    .min(1),
});

type Given = z.output<typeof schema>;

/** @param home DATABASE_URL. Messages never repeat the text: it holds passwords. */
export function readCells(text: string, home: string | undefined): Loaded<CellsConfig> {
  const failed = (message: string, path = variable) => ({ errors: [{ path, message }] });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return failed('is not valid JSON');
  }
  const parsed = schema.safeParse(json, { error: wording });
  const found = parsed.success ? twiceIn(text) : problemsOf(parsed.error.issues);
  if (!parsed.success || found.length > 0) {
    return { errors: found.map(({ path, message }) => ({ path: path ? `${variable}.${path}` : variable, message })) };
  }
  if (!home) return failed(`needs DATABASE_URL: it is the cell "${homeCell}", with the accounts`);
  const errors = problems(parsed.data, home);
  if (errors.length > 0) return { errors };
  return {
    value: { map: new CellMap(parsed.data.epochs.map(toEpoch)), urls: new Map(Object.entries(parsed.data.cells)) },
    errors,
  };
}

const toEpoch = ({ from, shards: ranges }: Given['epochs'][number]): CellEpoch => ({
  from,
  ranges: Object.entries(ranges).map(([range, cell]) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return { first, after: last + 1, cell };
  }),
});

function problems({ cells, epochs }: Given, home: string): ConfigProblem[] {
  const errors: ConfigProblem[] = [];
  const add = (path: string, message: string) => errors.push({ path: `${variable}.${path}`, message });
  const known = new Map<string, string>([[home, homeCell]]);
  for (const [name, own] of Object.entries(cells)) {
    const other = known.get(own);
    if (other) add(`cells.${name}`, `is the database of "${other}": two cells need two databases`);
    known.set(own, name);
    if (!epochs.some(({ shards: ranges }) => Object.values(ranges).includes(name)))
      add(`cells.${name}`, 'is in no epoch: give it shards, or leave it out');
  }
  for (const [at, epoch] of epochs.entries()) {
    const path = `epochs[${at}]`;
    const before = epochs[at - 1];
    if (before && epoch.from <= before.from) add(`${path}.from`, 'must be later than the epoch before it');
    for (const [range, cell] of Object.entries(epoch.shards)) {
      if (cell !== homeCell && !(cell in cells))
        add(`${path}.shards["${range}"]`, `names a cell that is not in ${variable}.cells`);
    }
    const gap = gapIn(toEpoch(epoch).ranges);
    if (gap !== null) add(`${path}.shards`, gap);
  }
  return errors;
}

/** Why the ranges do not name each shard exactly once; null where they do. */
function gapIn(ranges: CellEpoch['ranges']): string | null {
  let next = 0;
  for (const { first, after } of [...ranges].sort((a, b) => a.first - b.first)) {
    if (after <= first) return `has a range that ends before it begins: ${first}-${after - 1}`;
    if (first < next) return `has shard ${first} twice`;
    if (first > next) return `lacks shard ${next}: all of 0 to ${shardCount - 1} must be in a cell`;
    next = after;
  }
  if (next > shardCount) return `goes beyond shard ${shardCount - 1}`;
  return next < shardCount ? `lacks shard ${next}: all of 0 to ${shardCount - 1} must be in a cell` : null;
}

/** The databases alone, for programs that need no other setting. */
interface DatabasesConfig {
  /** null = the embedded one. */
  home: string | null;
  /** null = all is in one. */
  cells: CellsConfig | null;
}

export function loadDatabases(sources: ConfigSources): Loaded<DatabasesConfig> {
  const { given, errors } = withSecretFiles(sources);
  const parsed = databaseUrl.optional().safeParse(given.DATABASE_URL);
  const wrong = errors.filter(({ path: name }) => name === 'DATABASE_URL_FILE' || name === 'DATABASE_CELLS_FILE');
  if (!parsed.success) wrong.push({ path: 'DATABASE_URL', message: parsed.error.issues[0]?.message ?? 'is wrong' });
  const cells = given.DATABASE_CELLS ? readCells(given.DATABASE_CELLS, parsed.data) : null;
  if (cells) wrong.push(...cells.errors);
  return wrong.length > 0
    ? { errors: wrong }
    : { value: { home: parsed.data ?? null, cells: cells?.value ?? null }, errors: [] };
}
