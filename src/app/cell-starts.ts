// The start of each cell: what this process makes sure of before it works on a database. Without home there is no service; any other cell may
// be away, and is begun with once it is there.

import { homeCell } from '../core/fleet/cells.ts';
import type { KeyRing } from '../core/secrets/key-ring.ts';
import { checkServer } from '../db/connections/server.ts';
import { HostReadOnly } from '../db/connections/session.ts';
import { cellSetting, mistakenCell, nameCell } from '../db/fleet/cells.ts';
import { othersMigrate, prepareSchema } from '../db/migrate.ts';
import { isOutage } from '../db/outage.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { requiredKeys } from '../db/secrets/required-keys.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Cell, connectionsOf, opening } from './cells.ts';
import { StartRefused } from './lifecycle.ts';
import type { LiveSettings } from './live-settings.ts';

export interface CellStartsOptions {
  live: LiveSettings;
  /** Home first. */
  cells: readonly Cell[];
  ring: KeyRing;
  now(): number;
  ending: AbortSignal;
  metrics: Pick<Metrics, 'cellReady'>;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The pause between two tries of a cell that is away, ms. */
const everyMs = 1_000;

export class CellStarts {
  readonly #options: CellStartsOptions;
  /** Why a cell was refused, as it was last said in the log. */
  readonly #said = new Map<string, string>();

  constructor(options: CellStartsOptions) {
    this.#options = options;
  }

  /** Cells that this process works on. */
  get ready(): Cell[] {
    return this.#options.cells.filter(({ state }) => state === 'ready');
  }

  /** Home, and every other cell that can be reached. @throws StartRefused where this program must not work on one of them. */
  async open(): Promise<void> {
    const [home, ...others] = this.#options.cells as [Cell, ...Cell[]];
    await this.#prepare(home);
    await Promise.all(others.map((cell) => this.#prepareIfThere(cell)));
    await this.#requireKeys(this.ready);
  }

  /**
   * Tries again those that were away at the start. `begin` starts what works in a cell, before anything is stored there. Resolves with when
   * to try again, ms; null once all are ready.
   */
  async retry(begin: (cell: string) => Promise<void>): Promise<number | null> {
    const { cells } = this.#options;
    await Promise.all(cells.filter(({ state }) => state !== 'ready').map((cell) => this.#arrive(cell, begin)));
    return this.ready.length === cells.length ? null : everyMs;
  }

  /**
   * Whether this process works on each cell and has a lease there, in the metrics. With one cell, too: while its database is away no process
   * is ready, a balancer sends no calls, and so no metric of calls shows that.
   */
  measure(fleets: ReadonlyMap<string, Fleet>): void {
    const { cells, metrics, now } = this.#options;
    for (const { name, state } of cells)
      metrics.cellReady.set({ cell: name }, state === 'ready' && fleets.get(name)?.keptSince(now()) ? 1 : 0);
  }

  async #prepareIfThere(cell: Cell): Promise<void> {
    try {
      await opening.run(cell, () => this.#prepare(cell));
      cell.state = 'ready';
    } catch (err) {
      if (!isOutage(err)) throw err;
      const what = 'the cell can not be reached: what belongs to it is refused until it is there';
      this.#options.logger.error({ err, cell: cell.name }, what);
    }
  }

  async #arrive(cell: Cell, begin: (cell: string) => Promise<void>): Promise<void> {
    const { live, logger, now, ending } = this.#options;
    const { name } = cell;
    try {
      await opening.run(cell, async () => {
        await this.#prepare(cell);
        await this.#requireKeys([cell]);
        await ensurePartitions(cell.database.plain, now(), live.config.service.retentionDays);
        await begin(name);
      });
      cell.state = 'ready';
      logger.info({ cell: name }, 'the cell is there: this process works on it from now on');
    } catch (err) {
      if (ending.aborted) return; // What was given up says nothing of the cell.
      cell.state = isOutage(err) ? 'away' : 'refused';
      const why = String(err);
      if (cell.state === 'refused' && this.#said.get(name) !== why)
        logger.error({ err, cell: name }, 'this process must not work on the cell, and refuses what belongs to it');
      this.#said.set(name, why);
    }
  }

  /** @throws StartRefused, an outage, or an AbortError when the process is to end. */
  async #prepare({ name, url, watch }: Cell): Promise<void> {
    const { cells, live, logger, ending: signal } = this.#options;
    const { pools, migrate } = live.config.server;
    const several = cells.length > 1;
    const refuse = ({ reason, isReadOnly }: { reason: string; isReadOnly?: true }) => {
      // Its primary is lost, and the standby is not promoted yet: the cell is away.
      if (isReadOnly && name !== homeCell) return new HostReadOnly(cellSetting(name));
      return new StartRefused(several ? `cell ${name}: ${reason}` : reason);
    };
    // Databases of one server share its connections.
    const neighbours = cells.filter((cell) => serverOf(cell.url) === serverOf(url)).length;
    const server = await checkServer(url, { connections: connectionsOf(pools) * neighbours });
    if (server.kind === 'refused') throw refuse(server);
    const about = several ? { cell: name } : {};
    for (const warning of server.warnings) logger.warn(about, warning);
    const schema = await prepareSchema(url, { migrate, signal, onWait: () => logger.info(about, othersMigrate) });
    if (schema.kind === 'refused') throw refuse(schema);
    const own = await nameCell(watch.lanes, name);
    if (own !== name) throw new StartRefused(mistakenCell(name, own));
  }

  async #requireKeys(cells: readonly Cell[]): Promise<void> {
    const [home] = this.#options.cells as [Cell];
    const lanes = (cell: Cell) => cell.database.lanes;
    const keys = await requiredKeys({ home: lanes(home), cells: cells.map(lanes) }, this.#options.ring);
    if (keys.kind === 'missing') throw new StartRefused(keys.reason);
  }
}

/** Its hosts, as the URL has them. */
const serverOf = (url: string): string => /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? url;
