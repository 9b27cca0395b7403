// A check and the autofill of a send as JSON writes them: flat, where a message in code has a oneof to be spelled out.
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { type Autofill, AutofillSchema } from '../../src/gen/ramz/v1/session_pb.ts';
import { type CheckRequest, CheckRequestSchema } from '../../src/gen/ramz/v1/verify_pb.ts';

export type CheckFields = { code: string } & ({ id: string } | { to: string; purpose?: string });

export const checkOf = (fields: CheckFields): CheckRequest => fromJson(CheckRequestSchema, fields);

export const autofillOf = (fields: JsonObject): Autofill => fromJson(AutofillSchema, fields);
