// Chance that can be had again, and quickly: a schedule draws some thousand numbers, and 100,000 schedules are run. Not for secrets.

export interface Random {
  /** 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Picks a key with the weight it has. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
  bytes(size: number): Uint8Array;
}

/** `purpose` keeps streams apart: what one part draws does not shift what another draws. */
export function seeded(seed: number, purpose: string): Random {
  let a = hash(`${seed} ${purpose}`);
  // mulberry32
  const uint = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const next = () => uint() / 2 ** 32;
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]): T => from[between(0, from.length - 1)] as T,
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
      const entries = Object.entries<number>(weights) as [Key, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      return (entries.at(-1) as [Key, number])[0];
    },
    bytes(size) {
      const bytes = Buffer.alloc(size);
      for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(uint(), at);
      for (let at = size - (size % 4); at < size; at += 1) bytes[at] = uint() & 255;
      return bytes;
    },
  };
}

/** FNV-1a with a last mix: texts that differ in one character give streams that have nothing in common. */
export function hash(text: string, from = 0x811c9dc5): number {
  let h = from;
  for (let at = 0; at < text.length; at += 1) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}
