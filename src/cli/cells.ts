// `ramz cells`: which shards are in which database, how each stands, an epoch that moves some, and what is still to be moved on behind one. It needs
// no running service.

import { type CellEpoch, type CellMap, ofCell, oneCell, rangesOf } from '../core/fleet/cells.ts';
import { shardCount } from '../core/ids.ts';
import { engineStore } from '../db/engine-store.ts';
import { countPending } from '../db/fleet/cells.ts';
import { bringAll, countAway } from '../db/moved-numbers.ts';
import { isOutage } from '../db/outage.ts';
import { flag, Refusal, text, utcTime, type VerbOptions } from './command.ts';
import { type CellDatabases, closeCells, connectCells, openStored, requireHome, requireOthers } from './database.ts';
import { command, type Program, runProgram } from './program.ts';

interface CellsOptions extends VerbOptions {
  /** Unix ms. Default: the clock of this machine. */
  now?(): number;
}

interface Tools {
  map: CellMap;
  databases: CellDatabases;
  now(): number;
  say(line: string): void;
  complain(line: string): void;
}

const program: Program<Tools> = {
  call: 'npm run ramz -- cells',
  commands: [
    command({
      names: ['list'],
      usage: `
  list [--json]
      every cell: its shards, sessions that are pending in it, numbers whose wrong codes are still counted there
      though their shard has left; and the epochs, in UTC`,
      options: { json: flag },
      run: (tools: Tools, { values: { json = false } }) => list(tools, json),
    }),
    command({
      names: ['plan'],
      usage: `
  plan --shards 0-255 --to <cell> [--from 2026-12-01T00:00:00Z]
      prints the epochs for DATABASE_CELLS with one more, which moves these shards; changes nothing
      (--from: by default the next full hour that is an hour away)`,
      options: { shards: text, to: text, from: text },
      run: async (tools: Tools, { values }) => plan(tools, values),
    }),
    command({
      names: ['carry'],
      usage: `
  carry
      moves on what is counted of numbers whose shard has left its cell; the service does so every hour`,
      run: carry,
    }),
  ],
};

/** Resolves with the exit code: 0 done, 1 a cell could not be reached, or refused, 2 not understood. */
export const cells = (
  args: readonly string[],
  { env, say, complain = say, now = Date.now }: CellsOptions,
): Promise<number> =>
  runProgram(program, { args, say, complain }, async (run) => {
    const server = await openStored({ env, say, complain });
    const map = server.cells?.map ?? oneCell;
    const databases = connectCells(server, { max: 1, lanes: 1, applicationName: 'ramz cells' });
    try {
      await requireHome(databases).catch((error) => {
        if (!isOutage(error)) throw error; // Each command says so of every cell.
      });
      return await run({ map, databases, now, say, complain });
    } finally {
      await closeCells(databases);
      await server.stop();
    }
  });

const storeOf = (databases: Tools['databases'], cell: string) => engineStore(ofCell(databases, cell).lanes);

interface Listed {
  name: string;
  shards: string[];
  /** null: the cell can't be reached. */
  pending: number | null;
  /** Numbers whose wrong codes are still counted here though their shard has left. */
  leftBehind: number | null;
}

async function list({ map, databases, now, say }: Tools, asJson: boolean): Promise<number> {
  await requireOthers(databases);
  const cells = { map, now, of: (cell: string) => storeOf(databases, cell) };
  const present = shardsNow(map, now());
  const listed = await Promise.all(
    [...databases].map(async ([name, { lanes }]): Promise<Listed> => {
      const shards = rangesOf(present).flatMap((range) => (range.cell === name ? [rangeText(range)] : []));
      try {
        const [pending, leftBehind] = [await countPending(lanes), await countAway(cells, name)];
        return { name, shards, pending, leftBehind };
      } catch (error) {
        if (!isOutage(error)) throw error;
        return { name, shards, pending: null, leftBehind: null };
      }
    }),
  );
  const epochs = map.epochs.map(epochJson);
  if (asJson) {
    const cells = listed.map(({ leftBehind: left_behind, ...cell }) => ({ ...cell, left_behind }));
    say(JSON.stringify({ cells, epochs }, null, 2));
  } else {
    for (const cell of listed) say(lineOf(cell));
    for (const { from, shards } of epochs) say(`from ${from}: ${shardsText(shards)}`);
  }
  return listed.some(({ pending }) => pending === null) ? 1 : 0;
}

function lineOf({ name, shards, pending, leftBehind }: Listed): string {
  const lies = shards.length > 0 ? `shards ${shards.join(', ')}` : 'no shards';
  if (pending === null) return `${name}  ${lies}  can't be reached`;
  return `${name}  ${lies}  ${pending} pending${leftBehind ? `  ${leftBehind} numbers left behind` : ''}`;
}

async function carry({ map, databases, now, say }: Tools): Promise<number> {
  await requireOthers(databases);
  const cells = { map, now, of: (cell: string) => storeOf(databases, cell) };
  let exitCode = 0;
  for (const name of databases.keys()) {
    try {
      const { numbers, places } = await bringAll(cells, name);
      say(`${name}: ${numbers} numbers moved on, ${places} places freed`);
    } catch (error) {
      if (!isOutage(error)) throw error;
      say(`${name}: this cell, or the one that its numbers go to, can't be reached: run it again`);
      exitCode = 1;
    }
  }
  return exitCode;
}

const hourMs = 3_600_000;

/** @throws Refusal */
function plan(
  { map, databases, now: clock, say, complain }: Tools,
  { shards, to, from }: { shards?: string | undefined; to?: string | undefined; from?: string | undefined },
): void {
  const now = clock();
  const [first = -1, last = first] = /^\d{1,4}(-\d{1,4})?$/.test(shards ?? '')
    ? (shards ?? '').split('-').map(Number)
    : [];
  if (first < 0 || last < first || last >= shardCount)
    throw new Refusal(`--shards: a range of shards, such as 0-255, within 0-${shardCount - 1}`, 2);
  if (to === undefined) throw new Refusal('--to: the cell that they move to', 2);
  const at = from === undefined ? (Math.floor(now / hourMs) + 2) * hourMs : utcTime(from);
  if (Number.isNaN(at) || (from !== undefined && !from.endsWith('Z')))
    throw new Refusal('--from: a time in UTC, such as 2026-12-01T00:00:00Z', 2);
  if (at <= now) throw new Refusal('--from is past: every process has to know an epoch before it begins', 1);
  const epochs = map.epochs;
  const latest = epochs.at(-1);
  if (latest && latest.from >= at) throw new Refusal(`--from: the last epoch begins at ${timeText(latest.from)}`, 1);
  const next = shardsNow(map, at);
  next.fill(to, first, last + 1);
  say(JSON.stringify({ epochs: [...epochs, { from: at, ranges: rangesOf(next) }].map(epochJson) }, null, 2));
  if (!databases.has(to)) complain(`cell ${to} is new: DATABASE_CELLS needs its URL, and the database npm run migrate`);
}

const shardsNow = (map: CellMap, now: number): string[] =>
  Array.from({ length: shardCount }, (_, shard) => map.ofShard(shard, now));

const rangeText = ({ first, after }: CellEpoch['ranges'][number]): string =>
  after - first === 1 ? `${first}` : `${first}-${after - 1}`;

const timeText = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

/** An epoch in the form of DATABASE_CELLS. */
const epochJson = ({ from, ranges }: CellEpoch) => ({
  from: timeText(from),
  shards: Object.fromEntries(ranges.map((range) => [rangeText(range), range.cell])),
});

const shardsText = (shards: Record<string, string>): string =>
  Object.entries(shards)
    .map(([range, cell]) => `${range} ${cell}`)
    .join(', ');
