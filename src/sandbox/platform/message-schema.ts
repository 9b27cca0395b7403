// The documented request of POST /{phone_number_id}/messages, as far as this product sends it: an authentication template to one
// person. Anything undocumented is refused, so that a client's mistake shows here and not at the real platform.

import { z } from 'zod';
import type { Response } from '../http/server.ts';
import { graphError } from './call.ts';

/** Authentication templates take no longer parameters. */
export const MAX_CODE_LENGTH = 15;

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(1024) });

const component = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('body'), parameters: z.array(text) }),
  z.strictObject({
    type: z.literal('button'),
    sub_type: z.literal('url'),
    index: z.union([z.string().regex(/^[0-9]$/), z.int().min(0).max(9)]),
    parameters: z.array(text),
  }),
]);

export const messageSchema = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual').optional(),
  to: z.string().min(1),
  type: z.literal('template'),
  biz_opaque_callback_data: z.string().max(512).optional(),
  template: z.strictObject({
    name: z.string().min(1).max(512),
    language: z.strictObject({
      code: z.string().min(1),
      policy: z.literal('deterministic').optional(),
    }),
    components: z.array(component).optional(),
  }),
});

export type MessageRequest = z.output<typeof messageSchema>;

/** Documented message types that this sandbox does not take. */
const otherTypes = new Set([
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'reaction',
]);

export type ReadMessage = { kind: 'ok'; message: MessageRequest } | { kind: 'refused'; answer: Response };

export function readMessage(input: Record<string, unknown>): ReadMessage {
  if (typeof input.type === 'string' && otherTypes.has(input.type)) {
    const details = `Message type '${input.type}' is not played by the sandbox; it takes templates.`;
    return { kind: 'refused', answer: graphError(131051, { details }) };
  }
  const parsed = messageSchema.safeParse(input);
  if (parsed.success) return { kind: 'ok', message: parsed.data };
  return { kind: 'refused', answer: refusal(parsed.error.issues[0] as z.core.$ZodIssue, input) };
}

/** The answer to the first mistake, in the platform's words for it. */
function refusal(issue: z.core.$ZodIssue, input: unknown): Response {
  const param = paramName(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const where = issue.path.length === 0 ? '' : ` on param "${param}"`;
    return graphError(100, { message: `(#100) Unexpected key "${issue.keys[0]}"${where}.` });
  }
  if (valueAt(input, issue.path) === undefined) {
    if (issue.path.length === 1) return graphError(100, { message: `(#100) The parameter ${param} is required.` });
    return graphError(131008, { details: `Parameter '${param}' is mandatory.` });
  }
  if (issue.code === 'invalid_value') {
    return graphError(100, { message: `(#100) Param ${param} must be one of {${issue.values.join(', ')}}.` });
  }
  return graphError(131009, { details: `Parameter '${param}' is not valid: ${issue.message}.` });
}

/** `template['components'][0]['type']` */
function paramName(path: readonly PropertyKey[]): string {
  return path.map((key, index) => (index === 0 ? String(key) : `[${quoted(key)}]`)).join('');
}

const quoted = (key: PropertyKey) => (typeof key === 'number' ? String(key) : `'${String(key)}'`);

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}

/** A phone number as the platform takes it, with or without plus sign and separators; null when it is none. E.164. */
export function readRecipient(to: string): string | null {
  const digits = to.replace(/^\+|[\s()-]/g, '');
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
}
