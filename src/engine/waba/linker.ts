// The linker takes links through their steps: it claims a link that is due, calls the platform, and saves the result together with all that
// follows from it. A process that dies leaves a lease that ends; the process that claims the row next repeats its step.

import { afterStep } from '../../core/waba/link.ts';
import { inTransaction } from '../../db/changes.ts';
import { isOutage } from '../../db/outage.ts';
import type { WabaRow } from '../../db/schema.ts';
import { claimWabas, findWaba, isTakenNumber, type WabaChange } from '../../db/waba/links.ts';
import { pause } from '../../time/repeat.ts';
import { unobserved, type WabaContext } from './context.ts';
import type { OwnNumbers } from './numbers.ts';
import { type StepResult, takeStep } from './steps.ts';
import { columnsOf, isSameStep, keyIdsOf, leaseMsOf, linkOf, resealed, saveLink, stepLeaseMs } from './stored-link.ts';

const sweepLimit = 20;
/** Saves that met another process's change before a step's result is given up: the process that claims the row next repeats the step. */
const maxStale = 5;
/** A database that is started again, or fails over, is back within these: about a minute. */
const outagePausesMs = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

export class Linker {
  readonly #context: WabaContext;
  readonly #numbers: OwnNumbers;
  /** Accounts whose link is worked on. */
  readonly #driving = new Map<string, Promise<void>>();
  /** Rows that came meanwhile, by account: only the latest, because an earlier one is out of date. */
  readonly #waiting = new Map<string, WabaRow>();
  readonly #end = new AbortController();

  constructor(context: WabaContext, numbers: OwnNumbers) {
    this.#context = context;
    this.#numbers = numbers;
  }

  /** Takes up what is due. Resolves once it is claimed; the steps are taken beside. @throws when the database is away. */
  async sweep(): Promise<void> {
    const { db, ring, settings, now } = this.#context;
    if (this.#end.signal.aborted || !settings.platform) return;
    const at = now();
    const times = { now: new Date(at), leaseUntil: new Date(at + stepLeaseMs) };
    const keyIds = keyIdsOf(ring);
    for (const row of await claimWabas(db, { ...times, keyIds, limit: sweepLimit })) this.drive(row);
  }

  /** Takes the steps of a row that this process has claimed or begun, until there is something to wait for. */
  drive(row: WabaRow): void {
    const { account_id: accountId, version } = row;
    if ((this.#waiting.get(accountId)?.version ?? -1) < version) this.#waiting.set(accountId, row);
    if (!this.#driving.has(accountId)) this.#driving.set(accountId, this.#driveAll(accountId));
  }

  /** Resolves once nothing is under way. */
  async idle(): Promise<void> {
    while (this.#driving.size > 0) await Promise.all(this.#driving.values());
  }

  /** Ends after the step under way; what is left is due again when its lease ends. */
  close(): Promise<void> {
    this.#end.abort();
    return this.idle();
  }

  async #driveAll(accountId: string): Promise<void> {
    for (;;) {
      const row = this.#waiting.get(accountId);
      this.#waiting.delete(accountId);
      if (!row) break;
      await this.#drive(row).catch((error) => {
        const fields = { err: error, account_id: accountId, step: row.step };
        this.#context.log.error(
          fields,
          'a step of linking a WhatsApp account failed; it is repeated when its lease ends',
        );
      });
    }
    this.#driving.delete(accountId);
  }

  async #drive(first: WabaRow): Promise<void> {
    const { settings, ring } = this.#context;
    let row: WabaRow | undefined = first;
    while (row && !this.#end.signal.aborted) {
      const { platform } = settings;
      if (!platform) return;
      const result = await takeStep(row, platform, ring, settings.platformNumber);
      row = await this.#keep(row, result);
    }
  }

  /** The platform gives a step's result once: it is kept until the database takes it, or for as long as that makes sense. */
  async #keep(row: WabaRow, result: StepResult): Promise<WabaRow | undefined> {
    const { signal } = this.#end;
    for (const pauseMs of this.#context.outagePausesMs ?? outagePausesMs) {
      try {
        return await this.#store(row, result);
      } catch (error) {
        if (signal.aborted || !isOutage(error)) throw error;
        await pause(pauseMs, signal);
      }
    }
    return this.#store(row, result);
  }

  /** The row to go on with at once; undefined when there is something to wait for, or another process has it by now. */
  async #store(started: WabaRow, result: StepResult): Promise<WabaRow | undefined> {
    const { db, observer = unobserved } = this.#context;
    let row = started;
    for (let stale = 0; stale < maxStale; stale += 1) {
      const saved = await this.#save(row, result, stale > 0);
      if (saved) {
        observer.linkChanged(saved.row);
        await this.#numbers.refresh();
        return saved.goesOn ? saved.row : undefined;
      }
      // Claimed by another process meanwhile, or made due by a callback. The platform gives the step's result once (the
      // code's token!), so it is stored wherever the link still stands at this step.
      const now = await findWaba(db, row.account_id);
      if (!now || !isSameStep(started, now)) return undefined;
      row = now;
    }
    return undefined;
  }

  async #save(
    row: WabaRow,
    { outcome, learned }: StepResult,
    isAgain: boolean,
  ): Promise<{ row: WabaRow; goesOn: boolean } | undefined> {
    const { db, ids, ring, now } = this.#context;
    const at = now();
    const before = linkOf(row);
    const next = afterStep(before, outcome, at);
    const goesOn = next.status === 'connecting' && next.nextAt !== null && next.nextAt <= at;
    // A link that a callback made due during the step is looked at once more.
    const isHastened = isAgain && row.next_at !== null && row.next_at.getTime() <= at && next.nextAt !== null;
    const nextAt = isHastened ? at : goesOn ? at + leaseMsOf(next.step) : next.nextAt;
    const change: WabaChange = {
      ...resealed(ring, row),
      ...(outcome.kind === 'refused' ? {} : learned),
      // One that another process has stored meanwhile: the number may have it by now.
      ...(row.pin === null || learned.pin === undefined ? {} : { pin: row.pin }),
      ...columnsOf(next),
      next_at: nextAt === null ? null : new Date(nextAt),
      updated_at: new Date(at),
    };
    try {
      const saved = await inTransaction(db, (tx) => saveLink(tx, ids, row, change, at));
      return saved && { row: saved, goesOn };
    } catch (error) {
      if (!isTakenNumber(error)) throw error;
      const taken: StepResult = {
        outcome: { kind: 'refused', reason: 'phone_number_taken', code: null },
        learned: {},
      };
      return this.#save(row, taken, isAgain);
    }
  }
}
