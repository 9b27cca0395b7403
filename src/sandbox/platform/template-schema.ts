// The documented request that creates an authentication template with a copy-code button.

import { z } from 'zod';
import type { Response } from '../http/server.ts';
import { graphError } from './errors.ts';
import { languageOf } from './template-words.ts';

/** The platform takes types in either case and keeps them in capitals. */
const word = <T extends string>(...values: [T, ...T[]]) =>
  z
    .string()
    .transform((value) => value.toUpperCase())
    .pipe(z.enum(values));

const body = z.strictObject({ type: word('BODY'), add_security_recommendation: z.boolean().optional() });
const footer = z.strictObject({ type: word('FOOTER'), code_expiration_minutes: z.int().min(1).max(90) });
const buttons = z.strictObject({
  type: word('BUTTONS'),
  buttons: z
    .array(
      z.strictObject({
        type: word('OTP'),
        otp_type: word('COPY_CODE'),
        text: z.string().min(1).max(25).optional(),
      }),
    )
    .length(1),
});

const requestSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().refine((code) => languageOf(code) !== undefined, 'not a language of the sandbox'),
  category: word('AUTHENTICATION'),
  /** 30-900 for authentication; -1 = the platform's own, thirty days. */
  message_send_ttl_seconds: z.union([z.int().min(30).max(900), z.literal(-1)]).optional(),
  components: z
    .array(z.union([body, footer, buttons]))
    .refine((all) => all.some(({ type }) => type === 'BODY'), 'a BODY is required')
    .refine((all) => all.some(({ type }) => type === 'BUTTONS'), 'BUTTONS with an OTP button are required')
    .refine((all) => new Set(all.map(({ type }) => type)).size === all.length, 'a component is there twice'),
});

export type TemplateRequest = z.output<typeof requestSchema>;

export type ReadTemplate = { kind: 'ok'; request: TemplateRequest } | { kind: 'refused'; answer: Response };

export function readTemplate(input: Record<string, unknown>): ReadTemplate {
  const parsed = requestSchema.safeParse(input);
  if (parsed.success) return { kind: 'ok', request: parsed.data };
  const text = z.prettifyError(parsed.error);
  const user = { title: 'The template can not be created', text };
  return { kind: 'refused', answer: graphError(100, { message: 'Invalid parameter', subcode: 2388019, user }) };
}

export function templateExists(language: string): Response {
  const user = { title: 'A template of this name is there', text: `It has content in ${language} already.` };
  return graphError(100, { message: 'Invalid parameter', subcode: 2388024, user });
}
