// Linking, step by step: each one fails, is lost, or loses its process, and the link comes about all the same, or says why not.
import { describe, expect, test } from 'vitest';
import type { WabaStep } from '../../../src/core/waba/link.ts';
import type { WabaPlatform } from '../../../src/core/waba/platform.ts';
import { findAccount } from '../../../src/db/accounts/accounts.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses } from './support.ts';

const service = await linkingProcesses();
const { platform, start, account, signup, begin, settle, row, told, pass, graph, db } = service;
const process = start();

async function connected(accountId: string, ended?: Awaited<ReturnType<typeof signup>>) {
  expect(await begin(process, accountId, ended ?? (await signup()))).toMatchObject({ kind: 'begun' });
  const link = await settle(process, accountId);
  expect(link).toMatchObject({ status: 'connected', step: null, reason: null });
  return link;
}
const firstConnected = async (id: string) => (await findAccount(db, id, 'live'))?.custom_waba_connected_at;

test('the whole way: what is stored, what is told, what the platform knows', async () => {
  const id = await account();
  const ended = await signup();
  expect(await begin(process, id, ended)).toMatchObject({ kind: 'begun', waba: { status: 'connecting' } });
  expect(await firstConnected(id)).toBeNull();
  const link = await settle(process, id);
  expect(link).toMatchObject({
    status: 'connected',
    step: null,
    reason: null,
    error_code: null,
    owned: true,
    code: null,
    display_name: 'Example Shop',
    phone_number: ended.number,
    templates: { ar: 'approved', fr: 'approved', en: 'approved' },
  });
  expect(await firstConnected(id)).toEqual(link.connected_at);
  expect(await told(id)).toEqual([['waba.connected', '']]);
  expect(platform.accounts.phones.get(ended.phoneNumberId)).toMatchObject({ status: 'CONNECTED', registrations: 1 });
  expect(platform.accounts.wabas.get(ended.wabaId)?.subscription).not.toBeNull();
  // Neither token nor PIN nor code lies anywhere in clear.
  const { pin } = platform.accounts.phones.get(ended.phoneNumberId) ?? {};
  expect(pin).toMatch(/^\d{6}$/);
  for (const secret of [ended.code, process.numbers.ofAccount(id)?.token ?? '']) {
    expect(secret).not.toBe('');
    expect(JSON.stringify(link)).not.toContain(secret);
  }
  expect(process.numbers.ofNumber(ended.phoneNumberId)).toMatchObject({ accountId: id, displayName: 'Example Shop' });
  expect(process.changed).toContain(ended.phoneNumberId);
  expect(process.errors).toEqual([]);
});

/** The edge of the graph that each step calls. */
const edges: [WabaStep, string][] = [
  ['exchange_code', 'oauth'],
  ['check_number', 'phone_numbers'],
  ['subscribe', 'subscribed_apps'],
  ['register', 'register'],
  ['create_templates', 'message_templates'],
];

describe('a step that fails and is tried again', () => {
  test.each(edges)('%s: the platform has trouble', async (step, edge) => {
    const id = await account();
    platform.faults.callNext(edge, { kind: 'error', code: 2 }, 2);
    await begin(process, id, await signup());
    await process.linker.idle();
    expect(await row(id)).toMatchObject({
      status: 'connecting',
      step,
      reason: 'platform_unavailable',
      error_code: '2',
    });
    expect(await told(id)).toEqual([]);
    expect(await settle(process, id)).toMatchObject({ status: 'connected', reason: null, attempts: 0 });
    expect(await told(id)).toEqual([['waba.connected', '']]);
  });

  test.each(edges.slice(1))('%s: the answer is lost, and the step is done again', async (_, edge) => {
    const id = await account();
    platform.faults.callNext(edge, { kind: 'lost' }, 1);
    await connected(id);
  });

  test('the code’s answer is lost: the code is used up, and that is said', async () => {
    const id = await account();
    platform.faults.callNext('oauth', { kind: 'lost' }, 1);
    await begin(process, id, await signup());
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'code_refused', code: null });
    expect(await told(id)).toEqual([['waba.disconnected', 'code_refused']]);
    expect(await firstConnected(id)).toBeNull();
  });

  test('a platform that is away for longer than the code lives', async () => {
    const id = await account();
    platform.faults.callNext('oauth', { kind: 'error', code: 2 }, 1000);
    await begin(process, id, await signup());
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'code_expired', error_code: '2' });
  });

  test('a platform that is away for a day', async () => {
    const id = await account();
    await begin(process, id, await signup());
    platform.faults.callNext('message_templates', { kind: 'error', code: 2 }, 1000);
    await process.linker.idle();
    pass(24 * 3_600_000);
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'platform_unavailable' });
  });
});

describe('a step that is refused says why', () => {
  test.each([
    ['oauth', 100, 36007, 'code_expired', 'exchange_code'],
    ['oauth', 100, 36008, 'code_refused', 'exchange_code'],
    ['oauth', 101, undefined, 'refused', 'exchange_code'],
    ['debug_token', 190, undefined, 'refused', 'check_number'],
    ['phone_numbers', 190, undefined, 'token_refused', 'check_number'],
    ['phone_numbers', 100, 33, 'permission_missing', 'check_number'],
    ['subscribed_apps', 200, undefined, 'permission_missing', 'subscribe'],
    ['register', 133005, undefined, 'pin_refused', 'register'],
    ['register', 133016, undefined, 'registration_refused', 'register'],
    ['message_templates', 10, undefined, 'permission_missing', 'create_templates'],
  ])('%s: %i/%s is %s', async (edge, code, subcode, reason, step) => {
    const id = await account();
    platform.faults.callNext(edge, { kind: 'error', code, subcode }, 1);
    await begin(process, id, await signup());
    expect(await settle(process, id)).toMatchObject({ status: 'broken', step, reason, error_code: String(code) });
    expect(await told(id)).toEqual([['waba.disconnected', reason]]);
    expect(await firstConnected(id)).toBeNull();
    expect(await row(id)).toMatchObject({ token: null, code: null, next_at: null });
  });

  test('a number that is not in the account', async () => {
    const id = await account();
    const [ended, other] = [await signup(), await signup()];
    await begin(process, id, { ...ended, phoneNumberId: other.phoneNumberId });
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'number_not_found', owned: false });
  });

  test('a name that can not be stored is no reason', async () => {
    const id = await account();
    const ended = await signup();
    Object.assign(platform.accounts.phones.get(ended.phoneNumberId) ?? {}, { verifiedName: 'Sh\0op' });
    expect(await connected(id, ended)).toMatchObject({ display_name: 'Shop' });
  });

  test('templates that the review rejects', async () => {
    const id = await account();
    platform.faults.reviewResult = 'REJECTED';
    await begin(process, id, await signup());
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'templates_rejected' });
  });

  test('a review that never ends', async () => {
    const id = await account();
    platform.faults.reviewResult = null;
    await begin(process, id, await signup());
    await process.linker.idle();
    pass(3 * 24 * 3_600_000);
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'approval_timeout' });
  });
});

describe('a process that is killed in a step', () => {
  /** Asks the platform (or not even that) and is never heard of again; `gone` tells when. */
  function dying(method: keyof WabaPlatform, before: boolean): { asked: WabaPlatform; gone: Promise<void> } {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const ask = async (...given: never[]) => {
      if (!before) await (graph[method] as (...args: never[]) => Promise<unknown>)(...given);
      resolve();
      return new Promise(() => {});
    };
    return { asked: { ...graph, [method]: ask }, gone };
  }
  const methods: [keyof WabaPlatform, WabaStep][] = [
    ['exchangeCode', 'exchange_code'],
    ['findNumber', 'check_number'],
    ['subscribe', 'subscribe'],
    ['register', 'register'],
    ['createTemplate', 'create_templates'],
  ];

  test.each(methods)('%s: before it has asked', async (method, step) => {
    const id = await account();
    const { asked, gone } = dying(method, true);
    await begin(start({ asked }), id, await signup());
    await gone;
    await process.run();
    expect(await row(id)).toMatchObject({ step }); // Its lease still holds.
    expect(await settle(process, id)).toMatchObject({ status: 'connected' });
    expect(await told(id)).toEqual([['waba.connected', '']]);
  });

  test.each(methods.slice(1))('%s: between the answer and its commit', async (method) => {
    const id = await account();
    const ended = await signup();
    const { asked, gone } = dying(method, false);
    await begin(start({ asked }), id, ended);
    await gone;
    expect(await settle(process, id)).toMatchObject({ status: 'connected' });
    // What the number was registered with is known: asking again did not need another registration.
    expect(platform.accounts.phones.get(ended.phoneNumberId)?.registrations).toBe(1);
  });
});

test('a step whose lease has ended is taken twice, and its code’s token is kept whoever brings it', async () => {
  const id = await account();
  const nothing = () => {};
  let answer = nothing;
  const slow = start({
    asked: {
      ...graph,
      exchangeCode: async (code) => {
        const answered = await graph.exchangeCode(code);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return answered;
      },
    },
  });
  await begin(slow, id, await signup());
  await until(async () => (await row(id)).version === 1, { what: 'the link' });
  pass(11_000);
  // Claimed by the other, which has not asked yet.
  await service.db
    .updateTable('waba')
    .set({ version: 2, next_at: new Date(service.now() + 30_000) })
    .where('account_id', '=', id)
    .execute();
  await until(() => answer !== nothing, { what: 'the answer' });
  answer();
  await slow.linker.idle();
  expect(await settle(process, id)).toMatchObject({ status: 'connected' });
});

test('a PIN that another process has stored meanwhile, and may have set, is kept', async () => {
  const id = await account();
  const ended = await signup();
  const held = { slow: Promise.withResolvers<void>(), other: Promise.withResolvers<void>() };
  const asks = { slow: Promise.withResolvers<void>(), other: Promise.withResolvers<void>() };
  const slow = start({
    asked: {
      ...graph,
      findNumber: async (access) => {
        const { step } = await row(id);
        const found = await graph.findNumber(access);
        if (step === 'register') {
          asks.slow.resolve();
          await held.slow.promise;
        }
        return found;
      },
    },
  });
  const other = start({
    asked: {
      ...graph,
      register: async (access, pin) => {
        asks.other.resolve();
        await held.other.promise;
        return graph.register(access, pin);
      },
    },
  });
  await begin(slow, id, ended);
  await asks.slow.promise;
  pass(21_000);
  await other.linker.sweep();
  await asks.other.promise;
  const { pin } = await row(id);
  held.slow.resolve();
  await slow.linker.idle();
  held.other.resolve();
  await other.linker.idle();
  expect(await settle(process, id)).toMatchObject({ status: 'connected', pin });
});

test('the database is away when the code’s token comes: it is kept until it can be stored', async () => {
  const id = await account();
  let failures = 0;
  const outage = Object.assign(new Error('the database is being stopped'), { code: '57P01' });
  let isAway = false;
  const flaky = new Proxy(db, {
    get(target, name) {
      if (name === 'transaction' && isAway) {
        failures += 1;
        isAway = failures < 4;
        throw outage;
      }
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const exchangeCode: WabaPlatform['exchangeCode'] = async (code) => {
    const answer = await graph.exchangeCode(code);
    isAway = true;
    return answer;
  };
  const shaken = start({ asked: { ...graph, exchangeCode }, db: flaky });
  await begin(shaken, id, await signup());
  await shaken.linker.idle();
  expect([failures, shaken.errors]).toEqual([4, []]);
  expect(await settle(process, id)).toMatchObject({ status: 'connected' });
});
