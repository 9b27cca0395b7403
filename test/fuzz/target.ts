// What a target of the fuzzer is: a piece of the service that takes input from strangers, and what must hold of it.
import type { Random } from './random.ts';

export interface Target {
  name: string;
  /** Its part of all inputs, relative to the others. */
  weight: number;
  /** Where mutation begins, beside test/fuzz/corpus/<name>. */
  seeds: readonly Buffer[];
  /** Pieces that mean something to it. */
  dictionary: readonly (string | Buffer)[];
  /** A fresh input, made by somebody who knows the format; mixed in with mutated ones. */
  generate?(random: Random): Buffer;
  /** A mutation that knows the format; mixed in with those of mutate.ts. */
  mutate?(input: Buffer, random: Random): Buffer;
  /** @throws where something that must hold does not. */
  run(input: Buffer): void | Promise<void>;
}

/** Inputs are no longer than this, unless a target makes them so. */
export const maxInputOctets = 8_192;

export function hold(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
