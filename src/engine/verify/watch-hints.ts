// Hints about watched sessions between processes: one asks the others to say when they have changed a session that is watched here. Any
// process may change it, not its owner alone, so all are asked. A hint may be lost: what is watched is read now and then all the same.

import { z } from 'zod';
import type { Session } from '../../core/verify/session.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';

/** How long a process gives hints after it was asked, ms. */
const holdMs = 10_000;
/** When it is asked again, ms after it was asked. */
const renewMs = 5_000;

const wanted = z.strictObject({ processId: z.string(), ids: z.array(z.string()) });
const changed = z.strictObject({ id: z.string(), version: z.number() });

/** `isCovered`: each live process gives hints about all of the sessions. `fresh`: sessions about which a process gave none before. */
export interface Cover {
  isCovered: boolean;
  fresh: ReadonlySet<string>;
}

type Context = Pick<EngineContext, 'now' | 'fleet' | 'conversation' | 'events'>;

export class WatchHints {
  readonly #context: Context;
  /** Until when the others want hints, by session and process. */
  readonly #wanted = new Map<string, Map<string, number>>();
  /** When the others were last asked, by process and session. */
  #asked = new Map<string, Map<string, number>>();

  /** `onHint` is called where another process has changed a session to that version. */
  constructor(context: Context, onHint: (id: string, version: number) => void) {
    this.#context = context;
    const { conversation, events } = context;
    conversation.serve('watch', async (value) => this.#want(wanted.parse(value)));
    conversation.serve('changed', async (value) => {
      const { id, version } = changed.parse(value);
      onHint(id, version);
    });
    events.on('committed', ({ session }) => this.#say(session));
  }

  /** Asks each other process for hints about these sessions, and about no others any more. */
  async cover(ids: readonly string[]): Promise<Cover> {
    const { conversation, fleet, now } = this.#context;
    const { reachable } = conversation;
    this.#asked = new Map(reachable.map((peer) => [peer, this.#asked.get(peer) ?? new Map()]));
    const fresh = new Set<string>();
    const isAsked = await Promise.all(
      reachable.map(async (peer) => {
        const before = this.#asked.get(peer) ?? new Map<string, number>();
        const at = now();
        const isDue = (id: string) => elapsedMs(before.get(id) ?? Number.NEGATIVE_INFINITY, at) >= renewMs;
        const due = ids.filter(isDue);
        if (due.length === 0) return true;
        const said = await conversation.ask(peer, 'watch', { processId: fleet.processId, ids: due });
        for (const id of due) if (!before.has(id)) fresh.add(id);
        const after = said.kind === 'answered' ? due : [];
        this.#asked.set(
          peer,
          new Map([...ids.flatMap((id) => entry(before, id)), ...after.map((id) => [id, at] as const)]),
        );
        return said.kind === 'answered';
      }),
    );
    return { isCovered: reachable.length >= fleet.alive - 1 && isAsked.every(Boolean), fresh };
  }

  #want({ processId, ids }: z.infer<typeof wanted>): void {
    const now = this.#context.now();
    for (const [id, processes] of this.#wanted) {
      for (const [process, until] of processes) if (until < now) processes.delete(process);
      if (processes.size === 0) this.#wanted.delete(id);
    }
    for (const id of ids) {
      const processes = this.#wanted.get(id) ?? new Map<string, number>();
      this.#wanted.set(id, processes.set(processId, now + holdMs));
    }
  }

  #say({ id, version }: Session): void {
    for (const processId of this.#wanted.get(id)?.keys() ?? []) {
      void this.#context.conversation.ask(processId, 'changed', { id, version });
    }
  }
}

const entry = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): [Key, Value][] => {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
};
