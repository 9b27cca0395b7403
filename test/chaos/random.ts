// Chance that can be had again: the same seed gives the same run's choices. Not for secrets.
import { createHash } from 'node:crypto';

export interface Random {
  /** 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 up to, but not including, `below`. */
  int(below: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /** @throws when there is nothing to pick from. */
  pick<T>(from: readonly T[]): T;
}

/** `purpose` keeps streams apart: what one part of the driver draws does not shift what another draws. */
export function seeded(seed: number, purpose: string): Random {
  let block: Buffer = Buffer.alloc(0);
  let offset = 0;
  let blocks = 0;
  const next = () => {
    if (offset >= block.length) {
      block = createHash('sha256').update(`${seed} ${purpose} ${blocks}`).digest();
      blocks += 1;
      offset = 0;
    }
    offset += 4;
    return block.readUInt32BE(offset - 4) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[int(from.length)] as T;
    },
  };
}
