// The made-up traffic played, and what came of it as the table of docs/abuse.md. It is played once, because both a page and a test want it.

import { table } from '../../scripts/docs/fill.ts';
import { type Played, play } from './run.ts';
import { attacks, type Kind, kinds } from './traffic.ts';

export interface Run {
  name: string;
  played: readonly Played[];
}

const once = <Value>(make: () => Value) => {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const playAll = (all: readonly Kind[], seeds: readonly number[]): Run[] =>
  all.map(({ name, traffic }) => ({ name, played: seeds.map((seed) => play(traffic, seed)) }));

export const honest = once(() => playAll(kinds, [1]));
export const attacked = once(() => playAll(attacks, [1]));

/** Two tables: what honest traffic meets, and what attacks get through. */
export function pumpingTable(): string {
  const met = honest().map(({ name, played: [first] }) => [name, number(first?.sends), number(first?.stops.length)]);
  const through = attacked().map(({ name, played }) => {
    const most = Math.max(...played.map(({ went }) => went));
    const [first] = played;
    const ending = first?.stops[0];
    const by = ending
      ? `\`${ending.rule}\` (\`${ending.reason}\`), after ${number(ending.afterSends)}`
      : 'nothing: missed';
    return [name, number(first?.sends), number(most), by];
  });
  return [
    table(['honest traffic', 'sends', 'stops'], met),
    '',
    table(['attack', 'sends tried', 'sends that went out', 'first stopped by'], through),
  ].join('\n');
}

const number = (value = 0): string => value.toLocaleString('en-US');
