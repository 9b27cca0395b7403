// Values that a schema of a request refuses, one for each of its rules.

import type { JsonObject } from './document.ts';

export function badValues(schema: JsonObject): unknown[] {
  const { type, enum: words, pattern, minLength, maxLength, minimum, maximum, maxItems, items, format } = schema;
  const bad: unknown[] = [];
  if (schema.$ref || type === 'object') return ['text', 7];
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
const goodItems = (items: JsonObject): unknown[] => (Array.isArray(items.enum) ? items.enum : [{ channel: 'sms' }]);
