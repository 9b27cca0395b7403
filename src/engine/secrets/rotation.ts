// The rotation of a key over all processes: who lacks a key, who still makes things with one, what names it, and when it may be removed. Nothing
// here has the ring's text; the command line writes it between two steps.

import type { Actor } from '../../core/accounts/actor.ts';
import type { KeyPurpose, KeyRing } from '../../core/secrets/key-ring.ts';
import { checkValue, currentKeys, type KnownKey, keysOf, reportOf } from '../../core/secrets/ring-report.ts';
import { audit } from '../../db/accounts/audit.ts';
import { inTransaction } from '../../db/changes.ts';
import { isOutage } from '../../db/outage.ts';
import { inside } from '../../db/queryable.ts';
import type { Db } from '../../db/schema.ts';
import { type Databases, type KeyUse, keyUses, namedByAnswers } from '../../db/secrets/key-uses.ts';
import {
  announcedKeys,
  announceKeys,
  askToReread,
  keepAfterAll,
  markRemoved,
  type ProcessRing,
  processName,
  readRings,
  withdrawnOf,
} from '../../db/secrets/process-rings.ts';
import { pause } from '../../time/repeat.ts';

export interface KeyState extends KnownKey {
  /** `gone`: not in this ring, but announced, or named by something. */
  role: 'current' | 'next' | 'old' | 'gone';
  uses: readonly KeyUse[];
  /** Ids of processes that hold it, and of those that make things with it. */
  heldBy: readonly string[];
  currentIn: readonly string[];
  /** Why it must stay; empty = it may be removed. */
  keptBy: readonly string[];
}

export interface FleetKeys {
  processes: readonly ProcessRing[];
  keys: readonly KeyState[];
}

export interface RotationOptions {
  /** Home. */
  db: Db;
  databases: Databases;
  /** Who does it: what is announced and removed is in the audit log. */
  actor: Actor;
  /** For how long nothing must have been made with a key that is removed, ms: longer than a statement takes. Default 60 000. */
  settledMs?: number;
}

/** The pause between two looks at the processes, ms. */
const lookMs = 250;
/** Between two requests to read the ring again: a file may come later to another host. */
const askMs = 5_000;

export class Rotation {
  readonly #db: Db;
  readonly #databases: Databases;
  readonly #actor: Actor;
  readonly #settledMs: number;

  constructor({ db, databases, actor, settledMs = 60_000 }: RotationOptions) {
    this.#db = db;
    this.#databases = databases;
    this.#actor = actor;
    this.#settledMs = settledMs;
  }

  /** Every key of the ring, and those beside it that the databases name; what the processes say of themselves. */
  async look(ring: KeyRing): Promise<FleetKeys> {
    const { home } = this.#databases;
    const [processes, announced, uses] = await Promise.all([
      readRings(home),
      announcedKeys(home),
      keyUses(this.#databases),
    ]);
    const own = keysOf(reportOf(ring));
    const known = new Map(own.map((key) => [key.id, key]));
    const beside = [
      ...announced.filter(({ removed }) => !removed),
      ...uses.map(({ purpose, id }) => ({ purpose, id, check: '' })),
    ];
    for (const { purpose, id, check } of beside) if (!known.has(id)) known.set(id, { purpose, id, check });
    const keys: KeyState[] = [];
    for (const key of known.values())
      keys.push(await this.#stateOf(key, { ring, processes, uses: uses.filter(({ id }) => id === key.id) }));
    return { processes, keys };
  }

  /** Null where no key of that id is in the ring, announced or named by anything. */
  async find(ring: KeyRing, id: string): Promise<KeyState | null> {
    return (await this.look(ring)).keys.find((key) => key.id === id) ?? null;
  }

  async #stateOf(
    key: KnownKey,
    { ring, processes, uses }: { ring: KeyRing; processes: readonly ProcessRing[]; uses: readonly KeyUse[] },
  ): Promise<KeyState> {
    const { purpose, id } = key;
    const role = roleOf(ring, key);
    const heldBy = processes.filter(({ report }) => holds(report?.ring, key)).map(({ processId }) => processId);
    const using = processes.filter(({ report }) => report?.ring[purpose]?.current === id);
    const state = { ...key, role, uses, heldBy, currentIn: using.map(({ processId }) => processId) };
    if (role === 'current') return { ...state, keptBy: ['it is the current key'] };
    const keptBy = [
      ...uses.map(({ rows, what }) => `${rows} ${what} name it`),
      ...using.map(({ processId }) => `${processId} makes new things with it`),
      ...processes
        .filter(({ report }) => report === null)
        .map(({ processId }) => `${processId} does not say which keys it uses`),
      ...this.#unsettled(key, processes, using),
      ...(purpose === 'code' && role === 'old' && uses.length === 0 ? await this.#answersUnder(id) : []),
    ];
    return { ...state, keptBy };
  }

  /** What was being made when a process changed its ring is stored a moment later. */
  #unsettled({ id }: KnownKey, processes: readonly ProcessRing[], using: readonly ProcessRing[]): string[] {
    return processes
      .filter((each) => !using.includes(each) && (each.sinceMs ?? 0) < this.#settledMs)
      .map(
        ({ processId }) =>
          `${processId} may have used ${id} until a moment ago: wait ${Math.ceil(this.#settledMs / 1000)} seconds`,
      );
  }

  async #answersUnder(id: string): Promise<string[]> {
    try {
      const named = await namedByAnswers(this.#databases.cells, id);
      return named ? ['answers kept for Idempotency-Keys name it: for 24 hours at most'] : [];
    } catch (error) {
      if (!isOutage(error)) throw error;
      return ['it was not found out in time whether answers kept for Idempotency-Keys name it'];
    }
  }

  /** Has every process read its ring, until all hold these keys or `waitMs` are over. Returns a line for each process that does not. */
  untilHeld(keys: readonly KnownKey[], waitMs: number): Promise<string[]> {
    return this.#until(waitMs, ({ report }) => {
      const lacked = keys.filter((key) => report?.ring[key.purpose] !== undefined && !holds(report.ring, key));
      return lacked.length > 0 ? `lacks ${lacked.map(({ id }) => id).join(', ')}` : null;
    });
  }

  /** The same, until all make new things with these keys. */
  untilCurrent(keys: readonly KnownKey[], waitMs: number): Promise<string[]> {
    return this.#until(waitMs, ({ report }) => {
      const others = keys.filter(({ purpose, id }) => {
        const theirs = report?.ring[purpose];
        return theirs !== undefined && theirs.current !== id;
      });
      const current = others.map(({ purpose }) => report?.ring[purpose]?.current);
      return current.length > 0 ? `still makes new things with ${current.join(', ')}` : null;
    });
  }

  /** The same, until none holds the key. */
  untilDropped(key: KnownKey, waitMs: number): Promise<string[]> {
    return this.#until(waitMs, ({ report }) => (holds(report?.ring, key) ? `still holds ${key.id}` : null));
  }

  /**
   * Announces keys that all processes hold: from then on no process starts without them. Returns a line for each process that started
   * meanwhile and lacks one; without any, the keys may be made current.
   */
  async announce(keys: readonly KnownKey[]): Promise<string[]> {
    await inTransaction(this.#db, async (tx) => {
      await announceKeys(inside(tx), keys);
      for (const { purpose, id } of keys)
        await audit(tx, { ...this.#entry(), action: 'rotate_key', target: purpose, after: { current: id } });
    });
    return this.untilHeld(keys, 0);
  }

  /**
   * Gives up a key that no ring has any more: what is hashed or sealed with it can't be read again, and stops no start. Returns why it must
   * stay after all.
   */
  async giveUp(state: KeyState): Promise<readonly string[]> {
    if (state.role !== 'gone') return ['it is in this ring: it is not lost'];
    if (state.heldBy.length > 0) return state.heldBy.map((processId) => `${processId} has it: it is not lost`);
    await inTransaction(this.#db, async (tx) => {
      await markRemoved(inside(tx), state);
      const before = { key: state.id, lost: true, named_by: state.uses.map(({ rows, what }) => `${rows} ${what}`) };
      await audit(tx, { ...this.#entry(), action: 'remove_key', target: state.purpose, before });
    });
    return [];
  }

  /** Those of the keys that `remove` has withdrawn: every process refuses a ring in which one of them is current. */
  async withdrawn(keys: readonly KnownKey[]): Promise<KnownKey[]> {
    return withdrawnOf(keys, await announcedKeys(this.#databases.home));
  }

  /**
   * Marks the key as removed: from then on no process starts that would make things with it. Then `takeOut` takes it out of the ring. Returns why it
   * must stay after all. Where it stays, for that or for an error, so does what was known of it before.
   */
  async remove(ring: KeyRing, before: KeyState, takeOut: () => void): Promise<readonly string[]> {
    const { id } = before;
    if (before.keptBy.length > 0) return before.keptBy;
    const { home } = this.#databases;
    const marked = await markRemoved(home, before);
    let isOut = false;
    try {
      // Announced before and in no ring, it is not found again.
      const { keptBy } = (await this.find(ring, id)) ?? before;
      if (keptBy.length > 0) await keepAfterAll(home, id, marked);
      else
        await inTransaction(this.#db, async (tx) => {
          await audit(tx, { ...this.#entry(), action: 'remove_key', target: before.purpose, before: { key: id } });
          takeOut();
          isOut = true;
        });
      return keptBy;
    } catch (error) {
      // Home may be what is away: then the mark stays, and a rotation says so.
      if (!isOut) await keepAfterAll(home, id, marked).catch(() => {});
      throw error;
    }
  }

  #entry() {
    return { at: new Date(), actor: this.#actor, accountId: null };
  }

  async #until(waitMs: number, complaint: (process: ProcessRing) => string | null): Promise<string[]> {
    const { home } = this.#databases;
    const startedAt = performance.now();
    let askedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      if (performance.now() - askedAt >= askMs) {
        await askToReread(home);
        askedAt = performance.now();
      }
      const lines = (await readRings(home)).flatMap((process) => {
        const what =
          process.report === null ? 'does not say which keys it has: is it of an older release?' : complaint(process);
        return what === null ? [] : [`${processName(process)} ${what}`];
      });
      if (lines.length === 0 || performance.now() - startedAt >= waitMs) return lines;
      await pause(lookMs);
    }
  }
}

/** Keys as reports name them. @throws where the ring lacks one. */
export function knownKeys(ring: KeyRing, ids: readonly string[]): KnownKey[] {
  return ids.map((id) => {
    const key = ring.byId(id);
    if (!key) throw new Error(`the key ring has no key ${id}`);
    return { purpose: key.purpose, id, check: checkValue(key.key) };
  });
}

const holds = (
  report: Partial<Record<KeyPurpose, { keys: Readonly<Record<string, string>> }>> | undefined,
  { purpose, id, check }: KnownKey,
): boolean => report?.[purpose]?.keys[id] !== undefined && (check === '' || report[purpose].keys[id] === check);

function roleOf(ring: KeyRing, { purpose, id }: KnownKey): KeyState['role'] {
  if (ring.byId(id)?.purpose !== purpose) return 'gone';
  if (currentKeys(reportOf(ring)).some((key) => key.id === id)) return 'current';
  return ring.next(purpose)?.id === id ? 'next' : 'old';
}
