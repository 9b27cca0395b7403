// Query parameters as the JSON object that the input is made from. Names like those of the body, dots for nested fields.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { fail } from '../waist/errors.ts';
import { fieldByName } from './input.ts';

/**
 * Throws `unknown_field` or `invalid_argument` with the parameter. Where the whole message is in the body, `open` is
 * false and every parameter is unknown: addresses are logged on the way, and numbers should not be in them.
 */
export function jsonFromQuery(desc: DescMessage, query: string, open = true): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  if (query === '') return json;
  for (const [name, text] of new URLSearchParams(query)) {
    if (!open) throw unknown(name);
    put(json, desc, name, text);
  }
  return json;
}

function put(json: Record<string, unknown>, desc: DescMessage, name: string, text: string): void {
  const parts = name.split('.');
  let owner = json;
  let within = desc;
  for (const [index, part] of parts.entries()) {
    const field = fieldByName(within, part);
    if (!field) throw unknown(name);
    if (index < parts.length - 1) {
      if (field.fieldKind !== 'message') throw unknown(name);
      const inner = (owner[field.name] ?? {}) as Record<string, unknown>;
      owner[field.name] = inner;
      owner = inner;
      within = field.message;
    } else if (field.fieldKind === 'list') {
      const list = (owner[field.name] ?? []) as unknown[];
      owner[field.name] = [...list, jsonValue(field, text)];
    } else {
      if (owner[field.name] !== undefined)
        throw fail('invalid_argument', `${field.name} is given twice`, { field: field.name });
      owner[field.name] = jsonValue(field, text);
    }
  }
}

/** Text as the JSON its field wants; what does not fit stays text and is refused by name later. */
function jsonValue(field: DescField, text: string): unknown {
  const scalar = field.fieldKind === 'scalar' || field.fieldKind === 'list' ? field.scalar : undefined;
  if (scalar === ScalarType.BOOL && (text === 'true' || text === 'false')) return text === 'true';
  if (scalar === ScalarType.INT32 && /^-?\d{1,10}$/.test(text)) return Number(text);
  return text;
}

function unknown(name: string) {
  const shown = name.slice(0, 60);
  return fail('unknown_field', `there is no query parameter ${shown}`, { field: shown });
}
