// The partition that holds all rows of a statement, where one partition does. A statement over the whole table opens every partition, although
// the ids say which one the rows are in: with 30 days of retention ten, in each of the three tables of a save. Postgres' own pruning is switched
// off (client.ts).

import { lowestId } from '../../core/ids.ts';
import { dayMs, elapsedMs, minuteMs } from '../../time/wall-clock.ts';
import { hashOfText } from '../connections/client.ts';
import type { Placement, PlaceOf, Queryable } from '../queryable.ts';
import { type Partition, type Range, readPartitions, tables } from './plan.ts';

/** How often the catalog is read again, ms, while there is anything to save. */
const readEveryMs = minuteMs;
/** How long the partitions that were read are used, ms: they may have been exchanged by hand since. */
const usedForMs = 2 * minuteMs;
/**
 * Of a partition with fewer rows than this the planner reads the whole index in place of a few keys, and a lane keeps that plan while the partition
 * grows. Over a whole table the older partitions keep it from that. One that was never counted is planned as if it had some pages.
 */
const leastRows = 10_000;

export class Places implements Placement {
  readonly #read: () => Promise<readonly Partition[]>;
  readonly #now: () => number;
  #known: ReadonlyMap<string, readonly (Range & { name: string })[]> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #isReading = false;

  constructor(db: Queryable, now: () => number = Date.now) {
    this.#read = () => readPartitions(db);
    this.#now = now;
  }

  /**
   * The partition that holds rows with all of these ids (of the column that the table is partitioned by); the whole table where they are in several,
   * or are old: a statement for each old partition would be planned and kept for next to no use. Of no ids the partition of today, as of most.
   * The catalog is read by a statement of its own, whose answer is for later calls.
   */
  readonly of: PlaceOf = (table, ids) => {
    const now = this.#now();
    if (!this.#isReading && elapsedMs(this.#triedAt, now) >= readEveryMs) void this.#learn(now);
    if (elapsedMs(this.#readAt, now) >= usedForMs) return table;
    const holdsAll = ({ from, to }: Range) => ids.every((id) => from <= id && id < to);
    return this.#known.get(table)?.find(holdsAll)?.name ?? table;
  };

  forget(): void {
    this.#known = new Map();
  }

  async #learn(now: number): Promise<void> {
    this.#isReading = true;
    this.#triedAt = now;
    try {
      const partitions = await this.#read();
      this.#known = new Map(tables.map(({ name, prefix }) => [name, inUse(partitions, name, prefix, now)]));
      this.#readAt = now;
    } catch {
      // The statements themselves say that the database is away. What is known stays, for as long as it may be used.
    } finally {
      this.#isReading = false;
    }
  }
}

/** The table's partitions that may be named, that of today first. */
function inUse(partitions: readonly Partition[], name: string, prefix: string, now: number): Partition[] {
  const [today, yesterday] = [lowestId(prefix, now), lowestId(prefix, now - dayMs)];
  const isPlanned = ({ rows }: Partition) => rows < 0 || rows >= leastRows;
  const holdsToday = ({ from, to }: Range) => Number(from <= today && today < to);
  return partitions
    .filter((each) => each.table === name && each.usable && !each.detaching && each.to > yesterday && isPlanned(each))
    .toSorted((a, b) => holdsToday(b) - holdsToday(a));
}

/** Every row is found there. */
const wholeTable: PlaceOf = (table) => table;

/** Whether the error says that a table was dropped, or that the role may not use it. */
const isGone = (error: unknown): boolean => ['42P01', '42501'].includes((error as { code?: string }).code ?? '');

/** Runs a statement, which is a transaction of its own, in the partitions of its rows; where one of them is gone, in whole tables. */
export async function inPlace<Result>(
  { places }: Pick<Queryable, 'places'>,
  run: (placeOf: PlaceOf) => Promise<Result>,
): Promise<Result> {
  if (!places) return run(wholeTable);
  try {
    return await run(places.of);
  } catch (error) {
    if (!isGone(error)) throw error;
    places.forget();
    return run(wholeTable);
  }
}

interface PlacedStatement {
  name: string;
  text: string;
}

/** Texts kept; beyond that each is made once more. */
const mostTexts = 500;

/**
 * Texts of one statement over different partitions, each with a name, under which a connection prepares it once. Postgres takes 63 characters of a
 * name, too few for those of several partitions: the hash of the text tells them apart.
 */
export class PlacedStatements {
  readonly #known = new Map<string, PlacedStatement>();

  /** @param places where the rows of each table are. Over whole tables the statement has `name` itself. */
  get(name: string, places: Readonly<Record<string, string>>, makeText: () => string): PlacedStatement {
    const key = [name, ...Object.values(places)].join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= mostTexts) this.#known.clear();
    const text = makeText();
    const isWhole = Object.entries(places).every(([table, place]) => table === place);
    const made = { name: isWhole ? name : `${name} ${hashOfText(text).slice(0, 22)}`, text };
    this.#known.set(key, made);
    return made;
  }
}
