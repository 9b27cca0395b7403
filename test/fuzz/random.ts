// Random numbers that are the same for the same seed, on every machine.

export interface Random {
  /** 0 to below 1. */
  next(): number;
  /** 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  bytes(count: number): Buffer;
}

/** sfc32: small, fast, and good enough for choosing mutations. */
export function randomOf(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88 | 0, 1];
  const uint32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) uint32();
  const below = (limit: number): number => Math.floor((uint32() / 2 ** 32) * limit);
  return {
    next: () => uint32() / 2 ** 32,
    below,
    pick: (items) => items[below(items.length)]!,
    chance: (probability) => uint32() / 2 ** 32 < probability,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => uint32() & 0xff)),
  };
}
