// Nobody reaches what is another's: every method of the contract, at every door, is asked for every id of account A with
// the keys of B and with A's key of the other mode. The answer is the one for an id nobody has, and A's rows stay as they are.
// Once B is suspended, its keys are refused by every method.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { create, type DescMethod, type DescMethodServerStreaming, type DescMethodUnary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { methodRules } from '../../src/api/waist/method-options.ts';
import { defaultKeyPrefixes } from '../../src/core/accounts/api-key.ts';
import { idSource } from '../../src/core/ids.ts';
import { parseKeyRing } from '../../src/core/secrets/key-ring.ts';
import type { Mode } from '../../src/core/verify/session.ts';
import { suspendAccount } from '../../src/db/accounts/control.ts';
import { Accounts } from '../../src/engine/accounts/accounts.ts';
import { tester } from '../support/actor.ts';
import { type Caller, callers, type Outcome } from '../support/doors.ts';
import { listen } from '../support/listen.ts';
import { allMethods, shortName } from '../support/methods.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { dumpOf } from './tenants/dump.ts';
import { type Case, table } from './tenants/table.ts';
import { idsOf, makeThings, nobodys, type Things } from './tenants/things.ts';

const modes: readonly Mode[] = ['live', 'test'];
// Nothing expires before the last test has looked.
const lasting = { allow_long_ttl: true, ttl_seconds: { min: 60, max: 3_600, default: 3_600 } };
const service = await testService({ config: { verify: lasting } });
const { sandbox, database } = service;
service.configure({ messaging: sandbox.messaging });
const { app, http } = await service.startHere();
const doors = callers(app);
afterAll(() => {
  for (const door of doors) door.close();
});
const methods = await allMethods();
/** The endpoint of every account here: it takes everything. */
const customer = await listen(createServer((_, response) => response.writeHead(204).end()));

const operators = (service.config.operators as { id: string }[]).map(({ id }) => id);
let made = 0;

interface Tenant extends Record<Mode, Things> {
  accountId: string;
}

/** An account with one of everything, in both modes. */
async function tenant(name: string): Promise<Tenant> {
  const parsed = parseKeyRing(readFileSync(String(service.env.RAMZ_KEY_RING), 'utf8'));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  const ids = idSource({ now: Date.now, randomBytes });
  const { db } = database;
  const settings = { operators: [] };
  const accounts = new Accounts({ db, ids, ring: parsed.ring, prefixes: defaultKeyPrefixes, now: Date.now, settings });
  const { id: accountId, liveKey, testKey } = await accounts.create({ name, language: 'fr', actor: tester });
  const [stopId, lastStopId] = [ids('stop_'), ids('stop_')];
  const [started_at, ends_at] = [new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000)];
  const stop = { rule: 'prefix_conversion', reason: 'low_conversion', sent: 100, verified: 0, enforced: true } as const;
  await db
    .insertInto('stop')
    .values(
      [stopId, lastStopId].map((id) => ({
        ...stop,
        id,
        account_id: accountId,
        prefix: '+213557',
        started_at,
        ends_at,
      })),
    )
    .execute();
  const things = async (mode: Mode, { key }: { key: string }) => {
    made += 2;
    return makeThings({
      http,
      adminToken: service.adminToken,
      accountId,
      key,
      mode,
      operators,
      numbers: [`+2135573${30_000 + made}`, `+2135573${30_001 + made}`],
      webhookUrl: `http://127.0.0.1:${customer.port}/${name}`,
      senderName: `${name}${mode}`,
      stopId,
    });
  };
  const live = await things('live', liveKey);
  const test = await things('test', testKey);
  return { accountId, live, test };
}

const dumpsOf = ({ accountId }: Tenant) => modes.map((mode) => dumpOf(database.db as never, accountId, mode));

/** Until receipts, webhooks and steps of links have come to rest: what changes from here on is somebody's doing. */
async function settled(owner: Tenant): Promise<void> {
  let last = '';
  const isAtRest = async () => {
    const dumps = await Promise.all(dumpsOf(owner));
    const rowsOf = <Row>(table: string) => dumps.flatMap((dump) => dump[table] ?? []) as Row[];
    const held = rowsOf<{ event_id: string; next_at: string | null }>('webhook_retry').flatMap(
      ({ event_id, next_at }) => (next_at === null ? [event_id] : []),
    );
    const isDue = rowsOf<{ event_id: string; status: string }>('webhook_delivery').some(
      ({ event_id, status }) => status === 'pending' && !held.includes(event_id),
    );
    const text = JSON.stringify(dumps);
    const rests = text === last && !isDue;
    last = text;
    return rests;
  };
  await until(isAtRest, { what: 'the account to come to rest', everyMs: 1_000 });
}

/** The business's own WhatsApp account, and a signup nobody has finished. */
async function linked(owner: Tenant): Promise<void> {
  const { accounts } = sandbox.platform;
  const client = serviceClient(http, owner.live.key);
  const { body: signup } = await client.call<{ state: string }>('POST', '/v1/waba/signups', {});
  const { id: waba_id } = accounts.addWaba('Example Shop');
  const { id: phone_number_id } = accounts.addPhone(waba_id, '+213550008001', 'Example Shop');
  const access_token = accounts.issueToken(waba_id).token;
  await client.call('POST', '/v1/waba', { waba_id, phone_number_id, access_token });
  const isLinked = async () => (await client.call<{ status: string }>('GET', '/v1/waba')).body.status === 'connected';
  await until(isLinked, { what: 'the link' });
  Object.assign(owner.live, { wabaId: waba_id, phoneNumberId: phone_number_id, state: signup.state });
}

const [a, b] = [await tenant('alice'), await tenant('bob')];
await sandbox.platform.subscriptions.subscribe(`${http}/v1/callbacks/messaging`, sandbox.messagingIdentity.verifyToken);
await linked(a);
await settled(a);
const nobody = nobodys();

/** Whose key asks, and whose things: of either mode. */
const strangers = modes.flatMap((mode) => [
  ...modes.map((own) => ({ who: `B's ${own} key`, own: b[own], ownMode: own, theirs: a[mode], mode, isOther: false })),
  ...modes
    .filter((own) => own !== mode)
    .map((own) => ({ who: `A's ${own} key`, own: a[own], ownMode: own, theirs: a[mode], mode, isOther: true })),
]);
type Stranger = (typeof strangers)[number];

/** The first answer, of a stream too. Undefined where the door does not offer the method. */
async function ask(door: Caller, method: DescMethod, each: Case, theirs: Things, own: Things) {
  const input = create(method.input, each.asks(theirs, own));
  const headers = {
    authorization: `Bearer ${own.key}`,
    ...(each.idempotencyKey ? { 'idempotency-key': each.idempotencyKey(theirs) } : {}),
  };
  if (method.methodKind === 'unary') return door.call(method as DescMethodUnary, input, headers);
  if (method.methodKind !== 'server_streaming') throw new Error(`${shortName(method)}: no door streams so`);
  for await (const first of door.stream(method as DescMethodServerStreaming, input, headers)) return first;
  return undefined;
}

const comparable = (outcome: Outcome | undefined) => ({ ...outcome, requestId: '' });

/** What is asked of test keys alone: managing live things is refused before anything is looked up. */
const isRefusedAsTestKey = (outcome: Outcome, { ownMode }: Stranger): boolean =>
  ownMode === 'test' && outcome.kind === 'error' && outcome.code === 'live_key_required';

/** The field that is given: of a oneof the one that is chosen. */
const nameOf = ([name, value]: [string, unknown]): string => String(Object(value).case ?? name);

describe('the table names', () => {
  /** Fields that name something: ids, and what stands for them. */
  const names = /^(id|.+_id|page_token|to|state|client_reference)$/;

  test.each(methods.map((method) => [shortName(method), method] as const))('everything of %s', (name, method) => {
    const cases = table[name];
    expect(cases, `test/e2e/tenants/table.ts has no case for ${name}`).toBeDefined();
    const given = new Set((cases ?? []).flatMap(({ asks }) => Object.entries(asks(a.live, b.live)).map(nameOf)));
    const naming = method.input.fields.filter((field) => names.test(field.name));
    const missing = naming.filter(({ localName }) => !given.has(localName)).map((field) => field.name);
    expect(missing, `no case of ${name} in test/e2e/tenants/table.ts gives these fields`).toEqual([]);
    const takesKey = methodRules(method).idempotencyKey;
    expect((cases ?? []).some(({ idempotencyKey }) => idempotencyKey !== undefined)).toBe(takesKey);
  });

  test('nothing that is gone', () => {
    expect(Object.keys(table).sort()).toEqual(methods.map(shortName).sort());
  });
});

const byName = new Map(methods.map((method) => [shortName(method), method]));
const rows = Object.entries(table).flatMap(([name, cases]) =>
  cases.map((each, index) => ({ name, number: index + 1, each })),
);

describe.each(strangers)("$who, asking for A's $mode things", (stranger) => {
  const { own, theirs, mode, isOther, ownMode } = stranger;
  const isForeign = ({ each }: (typeof rows)[number]) => {
    if (each.live && mode === 'test') return false;
    const namesNothing = !each.idempotencyKey && same(each.asks(theirs, own), each.asks(nobody, own));
    // Asked once by each key; A's live key does to the account what it may.
    if (namesNothing && (mode === 'test' || ownMode === 'live')) return mode === 'live' && !isOther;
    return !(each.liveSeesTest && isOther && ownMode === 'live');
  };

  test.each(rows.filter(isForeign))('$name, case $number', async ({ name, each }) => {
    const method = byName.get(name);
    if (!method) throw new Error(`the contract has no ${name}`);
    const before = await dumpOf(database.db as never, a.accountId, mode);
    const hidden = idsOf(theirs).filter((id) => id !== '' && !(isOther && (id === a.accountId || id === theirs.state)));
    let asked = 0;
    for (const door of doors) {
      const outcome = await ask(door, method, each, theirs, own);
      if (!outcome) continue;
      asked += 1;
      const input = JSON.stringify(each.asks(theirs, own));
      const told = hidden.filter((id) => JSON.stringify(outcome).includes(id) && !input.includes(id));
      expect(told, `${door.door} tells of what is another's`).toEqual([]);
      if (each.answer === 'own') continue;
      if (!isRefusedAsTestKey(outcome, stranger)) {
        expect(outcome, door.door).toMatchObject({ kind: 'error', code: each.answer });
      }
      if (each.differs) continue;
      expect(comparable(outcome), door.door).toEqual(comparable(await ask(door, method, each, nobody, own)));
    }
    expect(asked).toBe(4);
    expect(await dumpOf(database.db as never, a.accountId, mode)).toEqual(before);
  });
});

describe("B's keys, once B is suspended", () => {
  const byKey = methods.filter((method) => methodRules(method).access === 'key');
  beforeAll(async () => {
    await suspendAccount(database.db, { id: b.accountId, reason: 'a key was stolen', now: new Date(), actor: tester });
    for (const mode of modes) {
      const client = serviceClient(http, b[mode].key);
      const isHeard = async () => (await client.call('GET', '/v1/account')).status === 403;
      await until(isHeard, { what: 'the suspension to be heard of' });
    }
    await settled(b);
  });

  test.each(byKey.map((method) => [shortName(method), method] as const))('%s', async (name, method) => {
    const before = await Promise.all([a, b].flatMap(dumpsOf));
    for (const mode of modes) {
      for (const each of table[name] ?? []) {
        for (const theirs of [a[mode], b[mode]]) {
          for (const door of doors) {
            const outcome = await ask(door, method, each, theirs, b[mode]);
            if (!outcome) continue;
            expect(outcome, `${door.door}, ${mode}`).toMatchObject({ kind: 'error', code: 'account_suspended' });
            if (door.door !== 'rest') expect(outcome).toMatchObject({ grpcCode: 7 });
            expect(JSON.stringify(outcome)).not.toContain('stolen');
          }
        }
      }
    }
    expect(await Promise.all([a, b].flatMap(dumpsOf))).toEqual(before);
  });
});

// Last, because they change what is there: what was refused above was refused for its owner's sake alone.
describe.each(modes)('with its own %s key', (mode) => {
  const isManagedLive = ({ name, each }: (typeof rows)[number]) => each.live || name.startsWith('WabaService/');
  const refused = rows
    .filter(({ each }) => each.answer !== 'own' && !each.always)
    .filter((row) => mode === 'live' || !isManagedLive(row));
  const [rest] = doors as [Caller];
  const [connect] = doors.filter(({ door }) => door === 'connect') as [Caller];

  test.each(refused)('$name, case $number, is found', async ({ name, each }) => {
    const method = byName.get(name);
    if (!method) throw new Error(`the contract has no ${name}`);
    const outcome = await ask(method.methodKind === 'unary' ? rest : connect, method, each, a[mode], a[mode]);
    expect(outcome?.kind === 'error' ? outcome.code : 'ok').not.toBe(each.answer);
  });
});

const same = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);
