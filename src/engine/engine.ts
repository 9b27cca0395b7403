// The engine: its rooms put together, and the loops that look after what nobody else does.

import { isDoneWithin } from '../time/within.ts';
import { type EngineOptions, openRooms, type Rooms } from './rooms.ts';

export type { EngineOptions } from './rooms.ts';

export type Engine = ReturnType<typeof createEngine>;

export const createEngine = (options: EngineOptions) => overRooms(openRooms(options));

export function overRooms(rooms: Rooms) {
  const { deadlines, dispatcher, takeover, backlog } = rooms;
  return {
    ...rooms,
    /** Every 300 ms. */
    sweep: () => takeover.sweep(),
    /** Every 50 ms. */
    claim: () => takeover.claim(),
    /** Every second. */
    exchangeLoads: () => backlog.exchange(),
    /** Finishes what is on the wire and leaves the rest to others. Resolves at the latest after `graceMs`. */
    async drain(graceMs: number): Promise<void> {
      deadlines.stop();
      dispatcher.stop();
      await isDoneWithin(dispatcher.idle(), graceMs);
    },
  };
}
