// What a message costs: the operator's rate card, and where in a receipt it says the cost itself.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { settings } from './settings.ts';

export const currencySchema = z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters (ISO 4217), e.g. "DZD"');

export const tariffSchema = settings({
  version: z.string().min(1).max(64).describe('Your name for this rate card; it is kept with every cost it made.'),
  valid_from: z.iso
    .datetime({ offset: true, error: 'must be a date and time with its zone, e.g. "2026-01-01T00:00:00+01:00"' })
    .describe('From when on it holds, with its zone; the latest one that has begun is in force.'),
  currency: currencySchema.describe('ISO 4217.'),
  amount: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a decimal number as text, e.g. "4.50"')
    .describe('Price of one part, as decimal text; a number would be a float.'),
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
