// The audit log has a row for everything that a key with `manage` or an administrator changes, with its actor and from where, and none for what
// was refused. The RPCs are read from the contract.
import { type DescMethod, type DescMethodUnary, fromJson } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { afterAll, describe, expect, test } from 'vitest';
import { methodRules } from '../../../src/api/waist/method-options.ts';
import { callers } from '../../support/doors.ts';
import { allMethods, shortName } from '../../support/methods.ts';
import { changes } from './audit/changes.ts';
import { makeWorld } from './audit/world.ts';

const methods = await allMethods();
const isReading = ({ idempotency }: DescMethod) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
const changing = methods.filter((method) => {
  const { access, scope } = methodRules(method);
  return (access !== 'key' || scope === 'manage') && access !== 'public' && !isReading(method);
});
const byName = new Map(changing.map((method) => [shortName(method), method as DescMethodUnary]));

const world = await makeWorld();
const doors = callers(world.server.app);
afterAll(() => {
  for (const door of doors) door.close();
});
const [rest] = doors;
if (!rest) throw new Error('no door');

const ask = async (method: DescMethodUnary, input: Parameters<typeof fromJson>[1], key: string) =>
  rest.call(method, fromJson(method.input, input), { authorization: `Bearer ${key}` });

test('every RPC that changes something is asked', () => {
  expect(Object.keys(changes).sort(), 'test/integration/guard/audit/changes.ts').toEqual([...byName.keys()].sort());
});

describe('one row, with actor and origin', () => {
  test.each(Object.entries(changes))('%s', async (name, { by = 'key', action, input }) => {
    const method = byName.get(name);
    if (!method) throw new Error(`the contract has no ${name}`);
    const asked = await input(world);
    const known = (await world.events()).length;

    expect(await ask(method, asked, world.lacking[by])).toMatchObject({ kind: 'error', code: 'missing_scope' });
    expect((await world.events()).length).toBe(known);

    const outcome = await ask(method, asked, world.keys[by]);
    expect(outcome).toMatchObject({ kind: 'ok' });
    const made = (await world.events()).slice(known);
    const expected = action ?? method.name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
    const row = made.find((each) => each.action === expected);
    expect(row, `no row ${expected}`).toMatchObject({
      actor_kind: by,
      actor_name: by === 'key' ? 'first live key' : 'Amina',
      address: '127.0.0.1',
      request_id: outcome.requestId,
    });
    expect(row?.actor_id).toMatch(by === 'key' ? /^key_/ : /^adm_/);
    expect(new Set(made.map(({ request_id }) => request_id))).toEqual(new Set([outcome.requestId]));
  });
});

test('no row has a secret or a phone number', async () => {
  const text = JSON.stringify(await world.events());
  expect(text).toContain('create_api_key');
  expect(text).not.toMatch(/ramz_(live|test|admin)_[0-9a-z]{26}_|whsec_/);
  for (const secret of [world.link.access_token, '123456', '+213550008001', 'secret_hash', '?audit', '?moved']) {
    expect(text).not.toContain(secret);
  }
});
