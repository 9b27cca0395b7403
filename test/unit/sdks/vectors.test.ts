// The vectors that every SDK is held to must be what this service does: signatures by its own signer, codes and statuses
// by its own table.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sign, verify } from '../../../src/core/signature.ts';
import { type ErrorCode, errorCodes } from '../../../src/gen/values.ts';

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
    expect(sign({ id, timestampSeconds: timestamp, body, secrets })).toBe(signature);
  });

  test.each(received)('verified: $name', ({ now, expect: wanted, ...webhook }) => {
    const verdict = verify({ ...webhook, nowSeconds: now });
    expect(verdict.kind === 'valid' ? 'valid' : verdict.reason).toBe(wanted);
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

interface Retried {
  name: string;
  responses: Answered[];
}

test('answers in retries are those of the contract', () => {
  const { cases } = vectors<{ cases: Retried[] }>('retries');
  const answers = cases.flatMap(({ responses }) => responses).filter(({ body }) => body?.error);
  expect(answers.length).toBeGreaterThan(15);
  for (const { status, body } of answers) expect(status).toBe(errorCodes[body?.error?.code as ErrorCode].httpStatus);
});
