// Tokens where they are not for: every method of the contract, at every door, is asked with those of the other kind. A token of an administrator is no
// API key, an API key is no administrator's, and an administrator with every scope but the one that is needed may not.

import { type DescMethod, type DescMethodServerStreaming, type DescMethodUnary, fromJson } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { methodRules } from '../../src/api/waist/method-options.ts';
import { adminScopeValues } from '../../src/gen/values.ts';
import { validInput } from '../integration/guard/refusals/violations.ts';
import { type Caller, callers, type Outcome } from '../support/doors.ts';
import { allMethods, shortName } from '../support/methods.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';

const service = await testService();
const { database, liveKey, testKey, adminToken } = service;
service.configure({ messaging: service.sandbox.messaging, limits: { authentication_failures_per_minute: 100_000 } });
const { http, app } = await service.startHere();
const doors = callers(app);
afterAll(() => {
  for (const door of doors) door.close();
});

const admin = serviceClient(http, adminToken);
async function administrator(scopes: readonly string[]) {
  const { status, body } = await admin.call<{ id: string; token: string }>('POST', '/v1/admin/administrators', {
    name: 'Amina',
    scopes,
  });
  expect(status).toBe(200);
  return body;
}
const named = await administrator(adminScopeValues);
const lacking = Object.fromEntries(
  await Promise.all(
    adminScopeValues.map(async (scope) => {
      const { token } = await administrator(adminScopeValues.filter((other) => other !== scope));
      return [scope as string, token];
    }),
  ),
);
const revoked = await administrator(adminScopeValues);
await admin.call('POST', `/v1/admin/administrators/${revoked.id}/revoke`, {});

async function ask(door: Caller, method: DescMethod, token: string): Promise<Outcome | undefined> {
  const input = fromJson(method.input, validInput(method.input));
  const headers = { authorization: `Bearer ${token}` };
  if (method.methodKind === 'unary') return door.call(method as DescMethodUnary, input, headers);
  for await (const first of door.stream(method as DescMethodServerStreaming, input, headers)) return first;
  return undefined;
}

const rowsOfAudit = async () => {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from audit_event`.execute(
    database.db,
  );
  return rows[0]?.count;
};

/** What each token is answered: the code, and with `missing_scope` the scope. */
function wrongTokens(method: DescMethod): [who: string, token: string, answer: object][] {
  const { access, adminScope } = methodRules(method);
  switch (access) {
    case 'public':
      return [];
    case 'key':
      return [named.token, adminToken, revoked.token].map((token, at) => [
        `administrator ${at}`,
        token,
        { kind: 'error', code: 'invalid_api_key' },
      ]);
    default:
      return [
        ['a live key', liveKey, { kind: 'error', code: 'invalid_admin_token' }],
        ['a test key', testKey, { kind: 'error', code: 'invalid_admin_token' }],
        ['an administrator who was revoked', revoked.token, { kind: 'error', code: 'invalid_admin_token' }],
        [
          `an administrator without ${adminScope}`,
          lacking[adminScope ?? ''] ?? '',
          { kind: 'error', code: 'missing_scope', metadata: { scope: adminScope } },
        ],
      ];
  }
}

const methods = await allMethods();
const asked = methods.filter((method) => methodRules(method).access !== 'public');

test('every method of administrators needs a scope', () => {
  const open = methods.filter((method) => {
    const { access, adminScope } = methodRules(method);
    return (access === 'admin' || access === 'registration') && !adminScope;
  });
  expect(open.map(shortName)).toEqual([]);
  expect(asked.length).toBeGreaterThan(50);
});

test.each(asked.map((method) => [shortName(method), method] as const))('%s', async (_, method) => {
  const before = await rowsOfAudit();
  for (const [who, token, answer] of wrongTokens(method))
    for (const door of doors) expect(await ask(door, method, token), `${who} over ${door.door}`).toMatchObject(answer);
  expect(await rowsOfAudit()).toBe(before);
});
