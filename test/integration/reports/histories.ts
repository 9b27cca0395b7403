// Random histories of sessions, put into the database by the very statements of the engine: a story is played in core, set at a time of its
// own, and each of its steps is saved when the test says so.
import { randomBytes } from 'node:crypto';
import { newId, shardForNumber } from '../../../src/core/ids.ts';
import type { Effect } from '../../../src/core/verify/event.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import type { Mode, Session } from '../../../src/core/verify/session.ts';
import type { Queryable } from '../../../src/db/queryable.ts';
import { openSessions } from '../../../src/db/verify/open.ts';
import { saveSessions } from '../../../src/db/verify/save.ts';
import type { CommittedChange } from '../../../src/engine/reports/projector.ts';
import { toOpenItem, toSaveItem } from '../../../src/engine/sessions/change.ts';
import { Story } from '../../support/session.ts';
import { play, type Step } from '../../support/session-steps.ts';

interface Change {
  before: Session;
  next: Session;
  effects: Effect[];
}

export interface Told {
  accountId: string;
  mode: Mode;
  to: string;
  /** When it was opened, Unix ms. */
  openedAt: number;
  steps: readonly Step[];
  cascade: Session['cascade'];
  ttlMs: number;
  /** Of the caller's own code; null = it was made here. */
  sealedCode: string | null;
}

const id = (prefix: string, nowMs: number, shard = 7) => newId(prefix, { nowMs, shard, random: randomBytes(10) });

const timeFields = /At$|^at$|^operatorTimestamp$|^validFrom$/;

/** One session whose changes are still to be saved, in their order. */
export class History {
  readonly #changes: Change[] = [];
  readonly #opened: Session;
  #stored: Session | null = null;

  constructor({ openedAt, steps, accountId, mode, to, cascade, ttlMs, sealedCode }: Told) {
    const sessionId = id('vrf_', openedAt, shardForNumber(to));
    const messageIds = new Map<string, string>();
    /** The ids of messages are the story's own until here. */
    const messageId = (own: string) => {
      const known = messageIds.get(own) ?? id('msg_', openedAt + messageIds.size);
      messageIds.set(own, known);
      return known;
    };
    const set = <T>(value: T, name = ''): T => {
      if (typeof value === 'number' && timeFields.test(name)) return (value + openedAt) as T;
      if (typeof value === 'string' && /^msg_\d+$/.test(value)) return messageId(value) as T;
      if (typeof value === 'string' && /^rcp_\d+$/.test(value)) return id('rcp_', Date.now()) as T;
      if (Array.isArray(value)) return value.map((each) => set(each)) as T;
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, set(each, key)])) as T;
    };
    const story = new Story({
      request: { id: sessionId, accountId, mode, to, purpose: sessionId, cascade, ttlMs, sealedCode },
      onStep: (before, _, { next, effects }) => {
        if (next !== before || effects.length > 0) {
          this.#changes.push({ before: set(before), next: set(next), effects: set(effects) });
        }
      },
    });
    this.#opened = set(story.session);
    play(story, steps);
  }

  get isOver(): boolean {
    return this.#changes.length === 0 && this.#stored !== null;
  }

  /** Saves the next change, and resolves with it as the engine would emit it. */
  async commit(db: Queryable): Promise<CommittedChange> {
    if (!this.#stored) {
      const session = { ...this.#opened, version: 1 };
      const [result] = await openSessions(db, [toOpenItem(session, 'process/test', null)]);
      if (result?.kind !== 'opened') throw new Error(`not opened: ${result?.kind}`);
      this.#stored = session;
      return { before: null, session, transaction: result.transaction };
    }
    const change = this.#changes.shift();
    if (!change) throw new Error('nothing is left of the history');
    const { version } = this.#stored;
    const before = { ...this.#stored, timeline: change.before.timeline };
    // Messages that did not change are the same objects in the engine; here every change has copies, and all are saved.
    const { item } = toSaveItem(
      before,
      { ...change.next, version },
      change.effects.filter(({ kind }) => kind === 'receipt'),
      { references: [], idempotency: null, guarded: false, failures: 0, sends: 0, operation: null },
      {
        now: Date.now(),
        holder: null,
        holderBefore: null,
        newEventId: () => id('evt_', Date.now()),
        rules: defaultRules,
        endpoints: [],
        deliveryHolder: 'process/test',
        numberLimits: null,
      },
    );
    const limit = { failures: 10, windowMs: 3_600_000, failuresInRow: 100 };
    const [result] = await saveSessions(db, [item], limit);
    if (result?.kind !== 'saved') throw new Error(`not saved: ${result?.kind}`);
    const session = { ...change.next, version: version + 1 };
    this.#stored = session;
    return { before, session, transaction: result.transaction };
  }
}
