// Values that a schema of a request refuses, one for each of its rules; and those that it just accepts.

import { type JsonObject, resolved } from './document.ts';

/** The bounds of a number. */
export const lastGood = ({ minimum, maximum }: JsonObject): number[] =>
  [minimum, maximum].filter((value) => typeof value === 'number');

export function badValues(schema: JsonObject): unknown[] {
  const whole = resolved(schema);
  const { type, enum: words, pattern, minLength, maxLength, minimum, maximum, maxItems, items, format } = whole;
  const bad: unknown[] = [];
  if (type === 'object') return ['text', 7];
  if (type === 'array') bad.push('text', [{ no_such: 1 }, 7]);
  if (type === 'integer') bad.push('many', 1.5);
  if (type === 'boolean') bad.push('perhaps');
  if (type === 'string' && format === 'date-time') bad.push('yesterday', '2026-13-01T00:00:00Z');
  if (Array.isArray(words)) bad.push('no_such_word');
  if (typeof pattern === 'string') bad.push(['\u0001\n', 'a\0b'].find((text) => !new RegExp(pattern, 'u').test(text)));
  if (typeof minLength === 'number' && minLength > 0) bad.push('');
  if (typeof maxLength === 'number') bad.push('1'.repeat(maxLength + 1));
  if (typeof minimum === 'number') bad.push(minimum - 1);
  if (typeof maximum === 'number') bad.push(maximum + 1);
  if (typeof maxItems === 'number') {
    const [one] = goodItems(items as JsonObject);
    bad.push(Array.from({ length: maxItems + 1 }, () => one));
  }
  return bad;
}

/** Items that are good one by one. */
function goodItems(items: JsonObject): unknown[] {
  const { enum: words } = resolved(items);
  return Array.isArray(words) ? words : [{ channel: 'sms' }];
}
