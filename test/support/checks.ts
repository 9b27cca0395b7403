// A check and the autofill of a send as JSON writes them: flat, where a message in code has a oneof to be spelled out. And how a code is looked
// for where none may be.
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { type Autofill, AutofillSchema } from '../../src/gen/ramz/v1/session_pb.ts';
import { type CheckRequest, CheckRequestSchema } from '../../src/gen/ramz/v1/verify_pb.ts';

export type CheckFields = { code: string } & ({ id: string } | { to: string; purpose?: string });

export const checkOf = (fields: CheckFields): CheckRequest => fromJson(CheckRequestSchema, fields);

/**
 * A code by itself: its six digits turn up by chance within phone numbers, ids, dates and fractions of a second. A letter before it counts only
 * as the end of an escape of JSON, such as \n.
 */
export const standingAlone = (code: string): RegExp =>
  new RegExp(`(?<![0-9.]|(?<!\\\\)[A-Za-z])${code}(?![0-9A-Za-z])`);

export const autofillOf = (fields: JsonObject): Autofill => fromJson(AutofillSchema, fields);
