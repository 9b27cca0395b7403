// Who may try a number against the rules: lists hold single numbers, which a key without the scope `numbers` does not see.
import { create } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { beforeEach, expect, test } from 'vitest';
import { limitsService } from '../../../../src/api/handlers/limits/limits.ts';
import { faultOf } from '../../../../src/api/waist/errors.ts';
import { LimitsService } from '../../../../src/gen/ramz/v1/limits_pb.ts';
import type { Scope } from '../../../../src/gen/values.ts';
import { callOf } from './call.ts';

const { dryRun } = LimitsService.method;
const asked: string[] = [];
const dryRuns = {
  async of({ to }: { to: string }) {
    asked.push(to);
    return { kind: 'checked', allowed: true, results: [] };
  },
};
const { implementation } = limitsService({ dryRuns, limits: {}, stops: {}, now: Date.now } as never);
const handler = implementation.dryRun as unknown as (request: object, context: object) => Promise<object>;
const run = (scopes: Scope[], code = '') =>
  handler(create(dryRun.input, { to: '+213550123456', code }), callOf(dryRun, { scopes }));

beforeEach(() => {
  asked.length = 0;
});

test.each([[['read']], [['read', 'verify', 'manage']]] as [Scope[]][])('%j tries no number', async (scopes) => {
  const fault = await run(scopes).catch((error: ConnectError) => faultOf(error));
  expect(fault).toMatchObject({ code: 'missing_scope', metadata: { scope: 'numbers' } });
  expect(asked).toEqual([]);
});

test('a key that sees numbers does', async () => {
  expect(await run(['read', 'numbers'])).toMatchObject({ allowed: true });
  expect(asked).toHaveLength(1);
});

test('a code of its own needs the scope that a send with it needs', async () => {
  const fault = await run(['read', 'numbers'], '042617').catch((error: ConnectError) => faultOf(error));
  expect(fault).toMatchObject({ code: 'missing_scope', field: 'code', metadata: { scope: 'custom_code' } });
  expect(asked).toEqual([]);
  expect(await run(['read', 'numbers', 'custom_code'], '042617')).toMatchObject({ allowed: true });
});
