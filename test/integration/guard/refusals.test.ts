// The snapshot of what every RPC refuses at every door: code, field and status, without the texts. It is a promise to those who have
// written programs against the doors, so it changes only where the contract does; then write it anew with `-u` and read the diff.
import { join } from 'node:path';
import { type DescMethod, getOption, hasOption, type JsonObject } from '@bufbuild/protobuf';
import { afterAll, describe, expect, test } from 'vitest';
import { http as httpOption } from '../../../src/gen/google/api/annotations_pb.ts';
import { method as methodOption } from '../../../src/gen/ramz/v1/options_pb.ts';
import { errorCodes } from '../../../src/gen/values.ts';
import { allMethods, shortName } from '../../support/methods.ts';
import { otherEnd } from '../../support/other-end.ts';
import { type Door, Doors } from './refusals/doors.ts';
import { rawCases } from './refusals/raw.ts';
import { statesOf } from './refusals/states.ts';
import { validInput, violations } from './refusals/violations.ts';
import { makeWorld, type ServerName } from './refusals/world.ts';

const doors: readonly Door[] = ['rest', 'connect', 'grpc-web', 'grpc'];
const file = join(import.meta.dirname, 'refusals.snapshot.json');

/** Of a service in trouble, or of a caller who has gone: test/integration/api and test/integration/hostile bring them about. */
const notBroughtAbout = [
  'canceled',
  'deadline_exceeded',
  'idempotency_key_in_use',
  'internal',
  'overloaded',
  'unavailable',
];

const methods = await allMethods();
const world = await makeWorld();
const states = statesOf(world);
const { a, keys, adminToken, servers } = world;

interface Case {
  name: string;
  input(): JsonObject;
  key: string | null;
  idempotencyKey?: string | undefined;
  at: ServerName;
  doors: readonly Door[];
}

const optionsOf = (method: DescMethod) => getOption(method, methodOption);
const accessOf = (method: DescMethod): string => optionsOf(method).access || 'key';
const isAdmin = (method: DescMethod): boolean => accessOf(method) !== 'key';
const bearer = (key: string): string => `Bearer ${key}`;

function portsOf(name: ServerName) {
  const { http, grpc } = servers[name];
  return { http, grpc };
}

function rulesOf(method: DescMethod): Case[] {
  const path = hasOption(method, httpOption) ? String(getOption(method, httpOption).pattern.value) : '';
  const key = bearer(isAdmin(method) ? adminToken : a.liveKey);
  // Over REST a path without its part is another route, or none.
  const isRouted = (input: JsonObject) => [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => input[name]);
  return violations(method.input).map(({ name, input }) => ({
    name: `field: ${name}`,
    input: () => input,
    key,
    at: 'wide',
    doors: isRouted(input) ? doors : doors.filter((door) => door !== 'rest'),
  }));
}

/** Who may not call, before anything else is looked at. */
function accessCases(method: DescMethod): Case[] {
  const lacking = (['verify', 'read', 'manage'] as const).find((scope) => scope !== optionsOf(method).scope) ?? 'read';
  const wrong: [string, string | null][] = isAdmin(method)
    ? [
        ['none', null],
        ['a wrong token', bearer('x'.repeat(32))],
        ['an API key', bearer(a.liveKey)],
        ['another scheme', 'Basic YWxsOg=='],
      ]
    : [
        ['none', null],
        ['another scheme', 'Basic YWxsOg=='],
        ['two words', `Bearer ${a.liveKey} x`],
        ['garbled', bearer('garbled')],
        ['mistyped', bearer(otherEnd(a.liveKey))],
        ['of the other mode by its prefix', bearer(a.liveKey.replace('_live_', '_test_'))],
        ['revoked', bearer(keys.revoked)],
        ['expired', bearer(keys.expired)],
        ['without the scope', bearer(keys[lacking])],
        ['of a suspended account', bearer(keys.suspended)],
        ['of a closed account', bearer(keys.ofClosed)],
        ['live, of an account that waits for approval', bearer(keys.waiting)],
        ['the admin token', bearer(adminToken)],
      ];
  const input = () => validInput(method.input);
  return wrong.map(([name, key]): Case => ({ name: `key: ${name}`, input, key, at: 'wide', doors }));
}

function limitCases(method: DescMethod): Case[] {
  const input = () => validInput(method.input);
  return isAdmin(method)
    ? [{ name: 'limit: too many refused tokens', input, key: bearer('y'.repeat(32)), at: 'still', doors }]
    : [
        { name: 'limit: too many calls', input, key: bearer(a.liveKey), at: 'still', doors },
        { name: 'limit: too many refused keys', input, key: bearer(`${a.testKey}x`), at: 'still', doors },
      ];
}

function stateCases(method: DescMethod): Case[] {
  return Object.entries(states[shortName(method)]?.cases ?? {}).map(([name, { input, key, idempotencyKey, at }]) => ({
    name: `state: ${name}`,
    input,
    key: bearer(key ?? a.liveKey),
    idempotencyKey,
    at: at ?? 'wide',
    doors,
  }));
}

const asking = {
  wide: new Doors(portsOf('wide')),
  strict: new Doors(portsOf('strict')),
  still: new Doors(portsOf('still')),
};
afterAll(() => {
  for (const each of Object.values(asking)) each.close();
});

type Said = Record<string, Record<string, string>>;
/** Refused, although the audit log has a row more. */
const recordedRefusals: string[] = [];
const answers: Said = Object.fromEntries(methods.map((method) => [shortName(method), {}]));

/** Notes what was said; two cases of one name would be one. */
function note(method: DescMethod, name: string, said: string): void {
  const known = answers[shortName(method)] ?? {};
  if (Object.hasOwn(known, name)) throw new Error(`two cases of ${shortName(method)} are called "${name}"`);
  known[name] = said;
}

async function askEach(method: DescMethod, cases: readonly Case[]): Promise<void> {
  for (const { name, input, key, idempotencyKey, at, doors } of cases) {
    const headers = {
      ...(key === null ? {} : { authorization: key }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const recorded = await world.auditRows();
    const said = await asking[at].ask(() => ({ method, input: input(), headers }), doors);
    note(method, name, said);
    if (!/\bok\b/.test(said) && (await world.auditRows()) !== recorded)
      recordedRefusals.push(`${shortName(method)}, ${name}`);
  }
}

// First what holds for a minute alone: there one key is known, and one was refused.
const look = (key: string) => fetch(`${servers.still.http}/v1/account`, { headers: { authorization: bearer(key) } });
await look(a.liveKey);
await look(`${a.liveKey}x`);
for (const method of methods) await askEach(method, limitCases(method));

for (const method of methods) {
  await askEach(method, [...rulesOf(method), ...accessCases(method), ...stateCases(method)]);
  for (const [name, ask] of Object.entries(rawCases(method, servers.wide.http, a.liveKey))) {
    note(method, `raw: ${name}`, await ask());
  }
}

const sorted = <Value>(values: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));

test('nothing that a door refuses is refused otherwise', async () => {
  const all = Object.fromEntries(Object.entries(sorted(answers)).map(([name, cases]) => [name, sorted(cases)]));
  await expect(`${JSON.stringify(all, null, 2)}\n`).toMatchFileSnapshot(file);
});

test('what is refused is not in the audit log', () => {
  expect(recordedRefusals).toEqual([]);
});

describe('every RPC is asked', () => {
  test.each(methods.map((method) => [shortName(method), method] as const))('%s', (name, method) => {
    const own = states[name];
    expect(own, `test/integration/guard/refusals/states.ts has no case for ${name}`).toBeDefined();
    const said = Object.values(answers[name] ?? {}).join('\n');
    const missing = optionsOf(method).errors.filter((code) => !new RegExp(`\\b${code}\\b`).test(said));
    expect(missing, `codes that ${name} declares and no case is answered with`).toEqual([...(own?.notReached ?? [])]);
  });

  test('and answered with every code there is', () => {
    const said = JSON.stringify(answers);
    const missing = Object.keys(errorCodes).filter((code) => !new RegExp(`\\b${code}\\b`).test(said));
    expect(missing.sort()).toEqual(notBroughtAbout);
  });

  test('and none that is gone', () => {
    expect(Object.keys(states).sort()).toEqual(methods.map(shortName).sort());
  });
});
