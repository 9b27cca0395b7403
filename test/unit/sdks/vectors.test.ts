// The vectors that every SDK is held to must be what this service does: signatures by its own signer, codes and statuses
// by its own table.
import { readFileSync } from 'node:fs';
import { createRegistry, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { defaults } from '../../../src/config/defaults.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import { sign, signingKey, verify } from '../../../src/core/webhooks/signature.ts';
import { file_ramz_v1_session } from '../../../src/gen/ramz/v1/session_pb.ts';
import { file_ramz_v1_verify } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { type ErrorCode, errorCodes, timelineKindValues } from '../../../src/gen/values.ts';

const vectors = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`../../../sdks/vectors/${name}.json`, import.meta.url), 'utf8')) as T;

interface Signed {
  name: string;
  id: string;
  timestamp: number;
  body: string;
  secrets: string[];
  signature: string;
}
interface Received extends Omit<Signed, 'timestamp'> {
  timestamp: string;
  now: number;
  expect: string;
}

describe('signatures', () => {
  const { sign: signed, verify: received } = vectors<{ sign: Signed[]; verify: Received[] }>('signatures');

  test.each(signed)('signed: $name', ({ id, timestamp, body, secrets, signature }) => {
    expect(sign({ id, timestampSeconds: timestamp, body, keys: secrets.map(signingKey) })).toBe(signature);
  });

  test.each(received)('verified: $name', ({ now, expect: wanted, ...webhook }) => {
    const verdict = verify({ ...webhook, nowSeconds: now });
    // The service does not read bodies: those that are genuine and no event are for the SDKs.
    const isNoEvent = webhook.name.startsWith('signed, but');
    expect(verdict.kind === 'valid' ? 'valid' : verdict.reason).toBe(isNoEvent ? 'valid' : wanted);
  });
});

interface Answered {
  name: string;
  status: number;
  body?: { error?: { code: ErrorCode } };
}

describe('errors', () => {
  const { cases } = vectors<{ cases: Answered[] }>('errors');
  const answers = cases.filter(({ body }) => body?.error && Object.hasOwn(errorCodes, body.error.code));

  test('are those of the contract', () => expect(answers.length).toBeGreaterThan(8));
  test.each(answers)('$name', ({ status, body }) => {
    expect(status).toBe(errorCodes[body?.error?.code as ErrorCode].httpStatus);
  });
});

interface Written {
  name: string;
  message: string;
  body: JsonValue;
}

// A new field of the contract must be added to them.
describe('answers that are written as JSON again are as the REST door writes them', () => {
  const { cases } = vectors<{ cases: Written[] }>('written');
  const asRest = { alwaysEmitImplicit: true, useProtoFieldName: true };
  const registry = createRegistry(file_ramz_v1_verify, file_ramz_v1_session);

  test.each(cases)('$name', ({ message, body }) => {
    const schema = registry.getMessage(message);
    if (!schema) throw new Error(`no message ${message}`);
    expect(toJson(schema, fromJson(schema, body), asRest)).toEqual(body);
  });
});

interface Retried {
  name: string;
  responses: Answered[];
}

test('answers in retries are those of the contract', () => {
  const { cases } = vectors<{ cases: Retried[] }>('retries');
  const answers = cases
    .flatMap(({ responses }) => responses)
    // The status of a request that did not arrive in time is HTTP's (src/api/http.ts), and its code has another one elsewhere.
    .filter(({ status }) => status !== 408)
    .filter(({ body }) => body?.error && Object.hasOwn(errorCodes, body.error.code));
  expect(answers.length).toBeGreaterThan(15);
  for (const { status, body } of answers) expect(status).toBe(errorCodes[body?.error?.code as ErrorCode].httpStatus);
});

interface Step {
  operation?: string;
  error?: { kind: string; code: ErrorCode; retry_after_seconds?: number };
  timeline?: string[];
  updates?: { new: string[] }[];
}

/** HTTP status → class of the error; see sdks/README.md. */
const kinds: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limit',
};

// What needs no time to pass, the Node SDK plays against the running service, too.
describe('the stories of fakes', () => {
  const { cases } = vectors<{ cases: { name: string; steps: Step[] }[] }>('fake');
  const steps = cases.flatMap((one) => one.steps);

  test('have the errors of the contract', () => {
    const errors = steps.flatMap(({ error }) => error ?? []);
    expect(errors.length).toBeGreaterThan(10);
    for (const { kind, code } of errors) expect(kind).toBe(kinds[errorCodes[code].httpStatus] ?? 'server');
  });

  test('have the words of its timeline', () => {
    const words = steps.flatMap(({ timeline = [], updates = [] }) => [
      ...timeline,
      ...updates.flatMap((one) => one.new),
    ]);
    expect(words.length).toBeGreaterThan(20);
    for (const word of words) expect(timelineKindValues).toContain(word);
  });

  test('keep the rules that the service has by default', () => {
    const of = (code: ErrorCode) => steps.find(({ error }) => error?.code === code)?.error?.retry_after_seconds;
    expect(of('resend_too_soon')).toBe(defaultRules.resendIntervalMs / 1000);
    // The fifth send is two minutes after the first, the sixth half a minute later.
    const spacedSeconds = (defaultRules.resendIntervalMs / 1000) * defaultRules.maxSends;
    expect(of('too_many_sends')).toBe(defaults.verify.ttl_seconds.default - spacedSeconds);
  });
});
