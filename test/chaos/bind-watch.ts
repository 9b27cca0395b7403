// How many binds each SMSC saw at one time, told apart by whether a server was frozen just then.
import type { Smsc } from '../../src/sandbox/smsc/smsc.ts';
import type { Peak } from './evidence.ts';
import type { Journal } from './journal.ts';

/** What a thawed process may take to notice, to wait for its last answers and to unbind. */
const thawGraceMs = 8_000;

export class BindWatch {
  readonly #smscs: readonly Smsc[];
  readonly #journal: Journal;
  readonly #seen: Map<string, Peak>;

  constructor(smscs: readonly Smsc[], journal: Journal) {
    this.#smscs = smscs;
    this.#journal = journal;
    this.#seen = new Map(smscs.map(({ id }) => [id, { operator: id, unfrozen: 0, ever: 0, after: '' }]));
  }

  /** Called often; what came and went in between is in the SMSC's own peak. */
  look(): void {
    const frozen = this.#frozen();
    for (const { id, counts } of this.#smscs) {
      const peak = this.#seen.get(id);
      if (!peak) continue;
      const rose = counts.peak_binds > peak.ever ? counts.peak_binds : counts.binds;
      peak.ever = counts.peak_binds;
      if (frozen || rose <= peak.unfrozen) continue;
      peak.unfrozen = rose;
      const last = this.#journal.incidents.at(-1);
      peak.after = last ? `${Date.now() - last.at} ms after ${last.what} ${last.parts.join(', ')}` : 'from the start';
    }
  }

  get peaks(): Peak[] {
    return [...this.#seen.values()];
  }

  #frozen(): boolean {
    const last = this.#journal.incidents.findLast(({ what }) => what === 'freeze' || what === 'thaw');
    return last?.what === 'freeze' || (last !== undefined && Date.now() - last.at < thawGraceMs);
  }
}
