// What was up when, as the driver saw it: how late a timer may be is counted only while somebody was there to do it.
import type { Part, Server } from './plan.ts';

export interface Change {
  /** Unix ms. */
  at: number;
  part: Part;
  up: boolean;
}

/** Killed, frozen, cut off from the others, or ended by itself. */
export interface Incident {
  at: number;
  parts: Part[];
  what: 'kill' | 'freeze' | 'thaw' | 'cut' | 'healed' | 'died';
}

export class Journal {
  readonly #servers: readonly Server[];
  readonly changes: Change[] = [];
  readonly incidents: Incident[] = [];

  constructor(servers: readonly Server[]) {
    this.#servers = servers;
  }

  /** `postgres` counts as up once it takes connections, a server once it says that it is ready. */
  set(part: Part, up: boolean): void {
    this.changes.push({ at: Date.now(), part, up });
  }

  tell(what: Incident['what'], parts: Part[]): void {
    this.incidents.push({ at: Date.now(), parts, what });
  }

  /** Stretches in which nothing could be done: no database, or no server. Unix ms. Begins when all was up first. */
  outages(): { from: number; to: number }[] {
    const up = new Set<Part>();
    const found: { from: number; to: number }[] = [];
    let began = false;
    let since: number | null = null;
    for (const change of this.changes) {
      if (change.up) up.add(change.part);
      else up.delete(change.part);
      const working = up.has('postgres') && this.#servers.some((server) => up.has(server));
      began ||= up.has('postgres') && this.#servers.every((server) => up.has(server));
      if (!working && began) since ??= change.at;
      if (!working || since === null) continue;
      found.push({ from: since, to: change.at });
      since = null;
    }
    if (since !== null) found.push({ from: since, to: Number.POSITIVE_INFINITY });
    return found;
  }
}

/** How much of `from`…`to` was outage, ms. */
export function outageWithin(outages: readonly { from: number; to: number }[], from: number, to: number): number {
  return outages.reduce((sum, outage) => sum + Math.max(0, Math.min(to, outage.to) - Math.max(from, outage.from)), 0);
}
