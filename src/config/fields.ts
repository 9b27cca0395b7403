// The building blocks of settings: a group of them (snake_case in the file, camelCase in code, unknown keys refused), networks,
// sender names, secrets, tariffs. The settings themselves are in the files beside this one.

import { z } from 'zod';
import { isSenderName } from '../core/accounts/sender-name.ts';
import { parseNetwork } from '../core/limits/addresses.ts';
import { defaults } from './defaults.ts';

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export type CamelKeys<T> = { [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: T[Key] };

/** Declares one strict group of settings. Only its own keys change case: keys of maps (error codes, states) are data. */
export function settings<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).transform((value) => camelKeys(value));
}

function camelKeys<T extends object>(value: T): CamelKeys<T> {
  const entries = Object.entries(value).map(([key, entry]) => [camelCase(key), entry]);
  return Object.fromEntries(entries) as CamelKeys<T>;
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export const networkSchema = z
  .string()
  .refine((text) => parseNetwork(text) !== null, 'must be an address or a network, e.g. "10.0.0.0/8" or "2001:db8::1"');

/** Digits alone are refused to accounts, since they could pass for another's number; here they are one's own. */
const shortCode = /^[0-9]{3,11}$/;

/** The form of the deployment's own sender names: a name as accounts may have it, or a short code the operator gave. */
export const senderIdSchema = z
  .string()
  .max(11, 'is too long: a sender name has at most 11 characters')
  .refine(
    (name) => name.length > 11 || isSenderName(name) || shortCode.test(name),
    'must be letters and digits with single space - . & between them, or a short code of 3-11 digits',
  );

/** The sources of secrets. Both answer undefined when there is nothing, and an empty value counts as nothing. */
export interface SecretSource {
  variable(name: string): string | undefined;
  file(path: string): string | undefined;
}

/**
 * A setting that is a secret: given in clear, or better as the name of an environment variable or the path of a file. The value never
 * appears in an error. The secret is resolved while the file is read, and a missing one is an error at its path: the start fails closed.
 */
export function secretSchema(source: SecretSource) {
  return z
    .union(
      [z.string().min(1), z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
      {
        error: (issue) =>
          issue.input === undefined
            ? 'is missing: give {"env": "NAME"} or {"file": "/path"}'
            : 'must be {"env": "NAME"}, {"file": "/path"} or the text itself, not empty',
      },
    )
    .transform((given, context) => {
      if (typeof given === 'string') return given;
      const value = 'env' in given ? source.variable(given.env) : source.file(given.file);
      if (value) return value;
      const where =
        'env' in given
          ? `${shown(given.env, /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/, 'the environment variable')} is not set`
          : `${shown(given.file, /^\.{0,2}\//, 'the file')} cannot be read or is empty`;
      context.addIssue({ code: 'custom', message: `the secret is missing: ${where}` });
      return z.NEVER;
    });
}

/** The secret itself may stand where its name belongs: only what looks like a name is printed. */
const shown = (name: string, likely: RegExp, what: string): string =>
  likely.test(name) ? `${what} ${name}` : `${what} it names`;

export type SecretSchema = ReturnType<typeof secretSchema>;

/** What is counted: sends, accounts, connections. */
export const perCount = z.int().min(1).max(1_000_000);

export const currencySchema = z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters (ISO 4217), e.g. "DZD"');

/** What every rate card has. @param unit what `amount` is the price of */
export const rateCard = (unit: string) => ({
  version: z.string().min(1).max(64).describe('Your name for this rate card; it is kept with every cost it made.'),
  valid_from: z.iso
    .datetime({ offset: true, error: 'must be a date and time with its zone, e.g. "2026-01-01T00:00:00+01:00"' })
    .describe('From when on it holds, with its zone; the latest one that has begun is in force.'),
  currency: currencySchema.describe('ISO 4217.'),
  amount: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a decimal number as text, e.g. "4.50"')
    .describe(`Price of one ${unit}, as decimal text; a number would be a float.`),
});

/** The price of a message: the operator's rate card, and the place in a receipt of a cost that the operator states. */
export const tariffSchema = settings({
  ...rateCard('part'),
  charged: z.enum(['submit', 'delivery']).describe('Whether a message costs once accepted, or only once delivered.'),
});

export const costTlvSchema = settings({
  tag: z
    .int()
    .min(0x1400)
    .max(0x3fff)
    .describe('Tag number as a decimal; vendors have 0x1400-0x3FFF = 5120-16383 (SMPP v3.4 section 5.3.1).'),
  format: z
    .enum(['ascii_decimal', 'ascii_minor', 'uint32_minor'])
    .describe('Text "4.50"; text "450" in minor units; or four octets big-endian in minor units.'),
  currency: currencySchema.describe('ISO 4217; the TLV itself does not say.'),
  scale: z
    .int()
    .min(0)
    .max(9)
    .default(defaults.operator.cost_tlv.scale)
    .describe('Digits after the point in minor units: 450 with scale 2 is 4.50. Not used by ascii_decimal.'),
});
