// Phone numbers: how they are read, whose they are, and which one is free.

import type { Operator } from '../door/events.ts';

/** `+213550000001` → `+213 550 00 00 01`, a fixed line `+213 21 00 00 00`; others in groups of three. */
export function shownNumber(e164: string): string {
  const algerian = /^\+213(\d{2,3})(\d{2})(\d{2})(\d{2})$/.exec(e164);
  if (algerian) return `+213 ${algerian.slice(1).join(' ')}`;
  return e164.replace(/(?<=\d)(?=(\d{3})+$)/g, ' ');
}

/** The operator with the longest prefix of the number; null where none has one. */
export function operatorOf(e164: string, operators: readonly Operator[]): string | null {
  const matches = operators.flatMap(({ id, prefixes }) =>
    prefixes.filter((prefix) => e164.startsWith(prefix)).map((prefix) => ({ id, length: prefix.length })),
  );
  return matches.sort((a, b) => b.length - a.length)[0]?.id ?? null;
}

/** A number's digits behind the plus sign: 213 and nine more. */
const digits = 12;

/** The first number of the operator that nothing was sent to; above the scenario numbers. */
export function freeNumber({ prefixes }: Operator, used: ReadonlySet<string>): string {
  const prefix = prefixes[0] ?? '';
  const width = digits - (prefix.length - 1);
  for (let number = 1_234_501; ; number += 1) {
    const e164 = prefix + String(number).slice(-width).padStart(width, '0');
    if (!used.has(e164)) return e164;
  }
}

/** What was typed or pasted, as the service takes it: an Algerian number may begin with 0. */
export function typedNumber(text: string): string {
  const bare = text.replace(/[\s().\u200e\u200f-]/g, '').replace(/^00/, '+');
  return bare.startsWith('0') ? `+213${bare.slice(1)}` : bare;
}

export const operatorNames: Readonly<Record<string, string>> = {
  atlas: 'Atlas',
  sahara: 'Sahara',
  djurdjura: 'Djurdjura',
};

/** Whether the filter lets a number pass: its digits stand somewhere in it. A leading 0 is the one of dialling at home. */
export const matches = (number: string, filter: string): boolean => {
  const digits = filter.replace(/\D/g, '').replace(/^0+/, '');
  return digits === '' || number.includes(digits);
};
