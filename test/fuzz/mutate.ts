// Mutations of octets that know nothing of their meaning, but like the numbers at which length fields break.
import type { Random } from './random.ts';
import { maxInputOctets } from './target.ts';

export interface MutationSources {
  dictionary: readonly (string | Buffer)[];
  /** Other inputs, to be crossed with this one. */
  others: readonly Buffer[];
}

type Mutation = (input: Buffer, random: Random, sources: MutationSources) => Buffer;

const numbers = [
  0, 1, 4, 15, 16, 17, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
];

const at = (input: Buffer, random: Random): number => random.below(input.length + 1);
const cut = (input: Buffer, from: number, to: number, middle: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), middle, input.subarray(to)]);
const span = (input: Buffer, random: Random): [number, number] => {
  const from = at(input, random);
  return [from, Math.min(input.length, from + 1 + random.below(random.chance(0.8) ? 8 : 256))];
};
const word = ({ dictionary }: MutationSources, random: Random): Buffer =>
  dictionary.length === 0 ? random.bytes(1) : Buffer.from(random.pick(dictionary) as string);

const mutations: readonly Mutation[] = [
  function flipBit(input, random) {
    const copy = Buffer.from(input);
    if (copy.length > 0) copy[random.below(copy.length)]! ^= 1 << random.below(8);
    return copy;
  },
  function setOctet(input, random) {
    const copy = Buffer.from(input);
    if (copy.length > 0)
      copy[random.below(copy.length)] = random.chance(0.5) ? random.below(256) : random.pick(numbers);
    return copy;
  },
  function setNumber(input, random) {
    const size = random.pick([1, 2, 4] as const);
    if (input.length < size) return input;
    const copy = Buffer.from(input);
    const value = random.chance(0.7) ? random.pick(numbers) : input.length + random.below(5) - 2;
    copy.writeUIntBE(Math.max(0, value) % 256 ** size, random.below(input.length - size + 1), size);
    return copy;
  },
  function remove(input, random) {
    return cut(input, ...span(input, random), Buffer.alloc(0));
  },
  function insertOctets(input, random) {
    const from = at(input, random);
    return cut(input, from, from, random.bytes(1 + random.below(8)));
  },
  function repeat(input, random) {
    const [from, to] = span(input, random);
    const times = random.chance(0.9) ? 2 : 1 + random.below(200);
    return cut(input, from, to, Buffer.concat(Array.from({ length: times }, () => input.subarray(from, to))));
  },
  function insertWord(input, random, sources) {
    const from = at(input, random);
    return cut(input, from, from, word(sources, random));
  },
  function replaceByWord(input, random, sources) {
    return cut(input, ...span(input, random), word(sources, random));
  },
  function move(input, random) {
    const [from, to] = span(input, random);
    const rest = cut(input, from, to, Buffer.alloc(0));
    const target = at(rest, random);
    return cut(rest, target, target, input.subarray(from, to));
  },
  function truncate(input, random) {
    return input.subarray(0, at(input, random));
  },
  function cross(input, random, { others }) {
    if (others.length === 0) return input;
    const other = random.pick(others);
    return Buffer.concat([input.subarray(0, at(input, random)), other.subarray(at(other, random))]);
  },
];

/** One to eight mutations, mostly few. */
export function mutate(input: Buffer, random: Random, sources: MutationSources): Buffer {
  let result = input;
  do result = random.pick(mutations)(result, random, sources).subarray(0, maxInputOctets);
  while (random.chance(0.5));
  return result;
}
