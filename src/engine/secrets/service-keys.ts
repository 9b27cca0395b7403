// The keys of the service in a running process: what it says of its ring to the other processes, and whether it may take another ring in its
// place. A ring is taken as a whole or not at all.

import { hostname } from 'node:os';
import { homeCell } from '../../core/fleet/cells.ts';
import type { KeyRing, ParsedKeyRing } from '../../core/secrets/key-ring.ts';
import { currentKeys, type KnownKey, keysOf, lackedKeys, reportOf } from '../../core/secrets/ring-report.ts';
import type { Databases } from '../../db/secrets/key-uses.ts';
import { announcedKeys, lackingLines, readRings, reportRing, withdrawnOf } from '../../db/secrets/process-rings.ts';
import { requiredKeys } from '../../db/secrets/required-keys.ts';
import { Wakeup } from '../../time/on-demand.ts';
import { pause } from '../../time/repeat.ts';
import type { LiveRing } from './live-ring.ts';

export interface ServiceKeysOptions {
  ring: LiveRing;
  processId: string;
  /** All that sessions are in; a cell that is away throws. */
  databases: Databases;
  /** Names of these databases, for the command line, which is to leave none out. Default: home alone. */
  cells?: readonly string[];
  /** How long a start waits for processes that may be dead: longer than a lease. Default 5 000. */
  patienceMs?: number;
}

/** `reason`: for the person who runs the service. */
export type Judged = { kind: 'ok' } | { kind: 'refused'; reason: string };

/** Ids of keys. */
export interface RingChange {
  added: string[];
  removed: string[];
  current: string[];
}

export type Taken =
  | ({ kind: 'taken' } & RingChange)
  /** It is the ring in force. */
  | { kind: 'same' }
  | Extract<Judged, { kind: 'refused' }>;

const betweenLooksMs = 250;

export class ServiceKeys {
  /** Set when the ring is to be read again. */
  readonly due = new Wakeup();
  readonly #options: ServiceKeysOptions;
  #changes = -1;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ServiceKeysOptions) {
    this.#options = options;
  }

  /**
   * Before this process has a lease: whether it may make things with its ring. The lease of a process that was killed a moment ago still
   * runs, so what it lacks is waited for.
   */
  async admit(): Promise<Judged> {
    const { ring, patienceMs = 5_000 } = this.#options;
    const until = performance.now() + patienceMs;
    for (;;) {
      const judged = await this.#judgeInFleet(ring);
      if (judged.kind === 'ok' || performance.now() > until) return judged;
      await pause(betweenLooksMs);
    }
  }

  /**
   * Once its lease runs, and before it makes a thing: says what it holds, then looks again. In this order, because a rotation announces a key
   * first and then looks who lacks it: one of the two sees the other.
   */
  async join(): Promise<Judged> {
    await this.report();
    return this.#judgeInFleet(this.#options.ring);
  }

  /** Says what this process holds, or is about to. */
  async report(ring: KeyRing = this.#options.ring): Promise<void> {
    const { databases, processId, cells = [homeCell] } = this.#options;
    await reportRing(databases.home, processId, { host: hostname(), pid: process.pid, cells, ring: reportOf(ring) });
  }

  /** A pulse found the change counter of keys at `changes`. Sets `due`. */
  saw(changes: number): void {
    if (this.#changes !== changes) this.due.set();
    this.#changes = changes;
  }

  /** Takes the ring as it was read again, in the order in which rings were read; where it is refused, the one in force stays. @throws an outage. */
  take(parsed: ParsedKeyRing): Promise<Taken> {
    const turn = this.#queue.then(() => this.#take(parsed));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #take(parsed: ParsedKeyRing): Promise<Taken> {
    if (parsed.kind === 'invalid') return { kind: 'refused', reason: parsed.errors.join('\n') };
    const { ring } = this.#options;
    const before = reportOf(ring);
    const after = reportOf(parsed.ring);
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    const judged = isSame ? { kind: 'ok' as const } : await this.#judge(parsed.ring);
    if (judged.kind === 'refused') return judged;
    // Also where it is the same: the lease may have ended meanwhile, and the row with it.
    await this.report(parsed.ring);
    if (isSame) return { kind: 'same' };
    // As `join` does: of two processes that change their rings at once, or of which one starts, one sees what the other says.
    const settled = await this.#judgeInFleet(parsed.ring);
    if (settled.kind === 'refused') {
      await this.report();
      return settled;
    }
    ring.replace(parsed.ring);
    const ids = (keys: readonly KnownKey[]) => keys.map(({ id }) => id);
    return {
      kind: 'taken',
      added: ids(keysOf(after).filter(({ id }) => !keysOf(before).some((key) => key.id === id))),
      removed: ids(keysOf(before).filter(({ id }) => parsed.ring.byId(id) === undefined)),
      current: ids(currentKeys(after)),
    };
  }

  /** Whether the ring may take the place of the one in force. */
  async #judge(next: KeyRing): Promise<Judged> {
    const { ring, databases } = this.#options;
    const before = keysOf(reportOf(ring));
    const after = reportOf(next);
    const changed = before.filter(({ id, check }) => keysOf(after).some((key) => key.id === id && key.check !== check));
    if (changed.length > 0)
      return refused(
        'another key stands under the id of a key in force:',
        changed,
        'Give the new key an id of its own.',
      );
    const gone = before.filter(({ id }) => next.byId(id) === undefined);
    const inUse = gone.filter(({ id, purpose }) => ring.current(purpose).id === id);
    if (inUse.length > 0)
      return refused('the ring lacks the key that is current here:', inUse, 'Make another one current first.');
    if (gone.length > 0) {
      const keys = await requiredKeys(databases, next);
      if (keys.kind === 'missing') return { kind: 'refused', reason: keys.reason };
    }
    return this.#judgeInFleet(next);
  }

  /** Whether the other processes can read what would be made with the ring, and the ring what they make. */
  async #judgeInFleet(ring: KeyRing): Promise<Judged> {
    const { databases, processId } = this.#options;
    const own = reportOf(ring);
    const announced = await announcedKeys(databases.home);
    const unheard = lackedKeys(
      own,
      announced.filter(({ removed }) => !removed),
    );
    if (unheard.length > 0)
      return refused(
        'the key ring lacks keys that a rotation has announced:',
        unheard,
        'Copy the ring to this process.',
      );
    const withdrawn = withdrawnOf(currentKeys(own), announced);
    if (withdrawn.length > 0)
      return refused('the ring makes things with keys that were removed:', withdrawn, 'Copy the ring to this process.');
    const others = (await readRings(databases.home)).filter((other) => other.processId !== processId);
    const blind = lackingLines(others, currentKeys(own));
    const ahead = others.flatMap(({ report }) => lackedKeys(own, currentKeys(report?.ring ?? {})));
    if (blind.length > 0)
      return {
        kind: 'refused',
        reason: ['the current keys of this ring are not in the rings of other processes:', ...blind, addFirst].join(
          '\n',
        ),
      };
    if (ahead.length > 0)
      return refused(
        'the key ring lacks keys that other processes make things with:',
        ahead,
        'Copy the ring to this process.',
      );
    return { kind: 'ok' };
  }
}

const addFirst =
  'Add the key to every ring before one makes it current: `npm run ramz -- keys rotate` does it in this order.';

function refused(what: string, keys: readonly KnownKey[], advice: string): Judged {
  const lines = new Set(keys.map(({ purpose, id }) => `  ${purpose}  ${id}`));
  return { kind: 'refused', reason: [what, ...[...lines].sort(), advice].join('\n') };
}
