// Takes links through their steps: claims what is due, asks the platform, and saves what came of it together with all that
// follows from it. A process that dies leaves a lease that ends; whoever claims the row next repeats its step.

import { setTimeout as pauseFor } from 'node:timers/promises';
import type { IdSource } from '../../core/ids.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { afterStep } from '../../core/waba/link.ts';
import type { WabaPlatform } from '../../core/waba/platform.ts';
import { raiseChanges } from '../../db/changes.ts';
import { isOutage } from '../../db/outage.ts';
import type { Db, Tx, WabaRow } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import {
  claimWabas,
  findWaba,
  isTakenNumber,
  saveWaba,
  setFirstConnected,
  type WabaChange,
} from '../../db/waba/links.ts';
import { emitLink } from './link-events.ts';
import type { OwnNumbers } from './numbers.ts';
import { columnsOf, isSameStep, linkOf } from './rows.ts';
import { resealed } from './secrets.ts';
import { type StepResult, takeStep } from './steps.ts';

export interface LinkerOptions {
  db: Db;
  ring: KeyRing;
  ids: IdSource;
  numbers: OwnNumbers;
  /** Asked anew for every step; null = the messaging app is not configured, and what is due waits. */
  platform(): WabaPlatform | null;
  now(): number;
  onError(error: unknown, about: object): void;
  /** For the log: the state a link has come to. */
  observe?(row: WabaRow): void;
  /** Between tries to store while the database is away. Default: waits. */
  pause?(ms: number, signal: AbortSignal): Promise<void>;
}

/** Calls of one step end within 16 s, that of the code within 8: a code dies after 30 s, so its heir must not be late. */
const codeLeaseMs = 10_000;
const stepLeaseMs = 20_000;
const sweepLimit = 20;
/** Saves that met somebody else's change before a step's result is given up: the heir repeats the step. */
const maxStale = 5;
/** A database that is started again, or fails over, is back within these: about a minute. */
const outagePausesMs = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

export const leaseMsOf = (step: WabaRow['step']): number => (step === 'exchange_code' ? codeLeaseMs : stepLeaseMs);

export class Linker {
  readonly #options: LinkerOptions;
  /** Accounts whose link is worked on. */
  readonly #driving = new Map<string, Promise<void>>();
  /** What came meanwhile, by account: the latest alone, an earlier one is out of date. */
  readonly #waiting = new Map<string, WabaRow>();
  readonly #end = new AbortController();

  constructor(options: LinkerOptions) {
    this.#options = options;
  }

  /** Takes up what is due. Resolves once it is claimed; the steps are taken beside. @throws when the database is away. */
  async sweep(): Promise<void> {
    const { db, platform, now } = this.#options;
    if (this.#end.signal.aborted || !platform()) return;
    const at = now();
    const times = { now: new Date(at), leaseUntil: new Date(at + stepLeaseMs) };
    for (const row of await claimWabas(db, { ...times, limit: sweepLimit })) this.drive(row);
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
      await this.#drive(row).catch((error) => this.#options.onError(error, { accountId, step: row.step }));
    }
    this.#driving.delete(accountId);
  }

  async #drive(first: WabaRow): Promise<void> {
    const { platform, ring } = this.#options;
    let row: WabaRow | undefined = first;
    while (row && !this.#end.signal.aborted) {
      const asked = platform();
      if (!asked) return;
      const result = await takeStep(row, asked, ring);
      row = await this.#keep(row, result);
    }
  }

  /** What a step has brought is told once: it is kept until the database takes it, or for as long as that makes sense. */
  async #keep(row: WabaRow, result: StepResult): Promise<WabaRow | undefined> {
    const { signal } = this.#end;
    const { pause = pauseUnless } = this.#options;
    for (const pauseMs of outagePausesMs) {
      try {
        return await this.#store(row, result);
      } catch (error) {
        if (signal.aborted || !isOutage(error)) throw error;
        await pause(pauseMs, signal);
      }
    }
    return this.#store(row, result);
  }

  /** The row to go on with at once; undefined when there is something to wait for, or it is somebody else's by now. */
  async #store(started: WabaRow, result: StepResult): Promise<WabaRow | undefined> {
    const { db, numbers, observe } = this.#options;
    let row = started;
    for (let stale = 0; stale < maxStale; stale += 1) {
      const saved = await this.#save(row, result, stale > 0);
      if (saved) {
        observe?.(saved.row);
        await numbers.refresh();
        return saved.goesOn ? saved.row : undefined;
      }
      // Claimed by another process meanwhile, or hastened by a callback. What the step has brought is told once (the code's
      // token!), so it is stored wherever the link still stands at this step.
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
    const { db, ring, now } = this.#options;
    const at = now();
    const before = linkOf(row);
    const next = afterStep(before, outcome, at);
    const goesOn = next.status === 'connecting' && next.nextAt !== null && next.nextAt <= at;
    // What was hastened while we were at it is looked at once more.
    const isHastened = isAgain && row.next_at !== null && row.next_at.getTime() <= at && next.nextAt !== null;
    const nextAt = isHastened ? at : goesOn ? at + leaseMsOf(next.step) : next.nextAt;
    const change: WabaChange = {
      ...resealed(ring, row),
      ...(outcome.kind === 'refused' ? {} : learned),
      ...columnsOf(next),
      next_at: nextAt === null ? null : new Date(nextAt),
      updated_at: new Date(at),
    };
    try {
      const saved = await inTransaction(db, (tx) => this.#saveAll(tx, row, change, at));
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

  async #saveAll(tx: Tx, row: WabaRow, change: WabaChange, at: number): Promise<WabaRow | undefined> {
    const saved = await saveWaba(tx, row, change);
    if (!saved) return undefined;
    if (saved.status !== row.status) {
      await emitLink(tx, this.#options.ids, saved, at);
      if (saved.status === 'connected') {
        await setFirstConnected(tx, row.account_id, new Date(at));
        await raiseChanges(tx);
      }
    }
    await raiseChanges(tx, 'waba');
    return saved;
  }
}

/** Ends early when the signal is given. */
const pauseUnless = (ms: number, signal: AbortSignal): Promise<void> =>
  pauseFor(ms, undefined, { signal }).catch(() => {});
