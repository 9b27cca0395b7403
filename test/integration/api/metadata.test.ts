// The caller's own data on a send: the same through every door, stored and returned as it was given, and refused by the key at fault.
import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { SendRequestSchema, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { type Caller, callers, type Outcome } from '../../support/doors.ts';
import { carrierReceipt } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';
import { newCaller, newNumber, refusalOf, startProcess } from './verify-service.ts';

const most = { entries: 20, key: 40, value: 500 };
/** The widest that passes: 500 characters of four octets under keys of 40. */
const widest = Object.fromEntries(
  Array.from({ length: most.entries }, (_, n) => [`k${n}`.padEnd(most.key, '.'), '𝄞'.repeat(most.value)]),
);
const character = fc.constantFrom(...'abcXYZ019_.-');
const key = fc
  .tuple(fc.constantFrom(...'aZ'), fc.array(character, { maxLength: most.key - 1 }))
  .map(([first, rest]) => first + rest.join(''));
const value = fc.string({ unit: 'binary', maxLength: most.value }).filter((text) => !text.includes('\0'));
const metadata = fc.dictionary(key, value, { maxKeys: most.entries });
const badKey = fc.oneof(
  fc.constantFrom('', '__proto__', '9', '_a', 'a b', 'é', 'a[0]', 'a\0', '+213551234567', 'a'.repeat(41)),
  fc.string({ minLength: 41 }).filter((text) => text.isWellFormed()),
);
const badValue = fc.constantFrom('x'.repeat(501), '𝄞'.repeat(501), 'a\0b');

describe('through every door', () => {
  const seen = newSeen();
  const headers = { authorization: 'Bearer all' };
  const { send } = VerifyService.method;
  let api: Api;
  let doors: Caller[];
  beforeAll(async () => {
    api = await startFake(seen);
    doors = callers(api);
  });
  afterAll(async () => {
    for (const door of doors) door.close();
    await api.close(1_000);
  });

  /** An own `__proto__` is set as any other key: an object literal would not. */
  function request(entries: [string, string][]) {
    const message = create(SendRequestSchema, { to: '+1' });
    message.metadata = Object.fromEntries(entries);
    return message;
  }
  async function outcomes(entries: [string, string][]): Promise<Outcome[]> {
    seen.metadata.length = 0;
    const found: Outcome[] = [];
    for (const door of doors) found.push(await door.call(send, request(entries), headers));
    return found;
  }

  test('what fits arrives as it was given', async () => {
    const arrives = async (given: Record<string, string>): Promise<void> => {
      for (const { kind } of await outcomes(Object.entries(given))) expect(kind).toBe('ok');
      expect(seen.metadata).toEqual(doors.map(() => given));
    };
    await arrives(widest);
    await fc.assert(fc.asyncProperty(metadata, arrives), { numRuns: 25 });
  });

  test('what does not is refused in the same words, which name the key', async () => {
    const refused = async (entries: [string, string][], field: string): Promise<void> => {
      const found = await outcomes(entries);
      for (const each of found) expect(each).toMatchObject({ kind: 'error', code: 'invalid_argument', field });
      expect(new Set(found.map((each) => each.kind === 'error' && each.message)).size).toBe(1);
      expect(seen.metadata).toEqual([]);
    };
    const cut = (name: string) => (name.length > 60 ? `${name.slice(0, 60)}…` : name).toWellFormed();
    await fc.assert(
      fc.asyncProperty(badKey, (bad) =>
        refused(
          [
            ['good', 'x'],
            [bad, 'x'],
          ],
          `metadata.${cut(bad)}`,
        ),
      ),
      { numRuns: 25 },
    );
    await fc.assert(
      fc.asyncProperty(key, badValue, (name, bad) => refused([[name, bad]], `metadata.${name}`)),
      { numRuns: 25 },
    );
    const many = Array.from({ length: most.entries + 1 }, (_, n): [string, string] => [`k${n}`, '']);
    await refused(many, 'metadata');
  });

  test.each([
    ['a key twice', '{"a":"1","a":"2"}', 'metadata.a'],
    ['a key twice, once escaped', '{"a":"1","\\u0061":"1"}', 'metadata.a'],
    ['null', '{"a":null}', 'metadata.a'],
    ['a number', '{"a":1}', 'metadata.a'],
    ['an object', '{"a":{"b":"c"}}', 'metadata.a'],
    ['a list', '{"a":["b"]}', 'metadata.a'],
    ['half of a surrogate pair', '{"a":"\\ud83d"}', 'metadata.a'],
    ['a key with half of one', '{"\\ud83d":"x"}', 'metadata.\ufffd'],
    ['what JavaScript takes for a prototype', '{"__proto__":"x"}', 'metadata.__proto__'],
    ['no object', '["a"]', 'metadata'],
    ['text', '"a=b"', 'metadata'],
    ['nothing', 'null', 'metadata'],
  ])('in JSON, %s is refused', async (_, json, field) => {
    seen.metadata.length = 0;
    for (const path of ['/v1/verify/send', '/ramz.v1.VerifyService/Send']) {
      const response = await fetch(`http://127.0.0.1:${api.httpPort}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: `{"to":"+1","metadata":${json}}`,
      });
      const text = await response.text();
      expect(response.status, text).toBe(400);
      if (path.startsWith('/v1'))
        expect(JSON.parse(text)).toMatchObject({ error: { code: 'invalid_argument', field } });
      else expect(text).toContain(field);
    }
    expect(seen.metadata).toEqual([]);
  });

  test('a log line names the field, and not the key', async () => {
    seen.lines.length = 0;
    await outcomes([['+213551234567', 'x']]);
    await outcomes([['order', 'x'.repeat(501)]]);
    const lines = JSON.stringify(seen.lines);
    expect(lines.match(/"field":"metadata"/g)).toHaveLength(2 * doors.length);
    // As much of the value as no id is by chance.
    expect(lines).not.toMatch(/213551234567|order|x{20}/);
  });
});

describe('of a session', async () => {
  const database = await testDatabase();
  const ramz = await startProcess(database, { rules: { resendIntervalMs: 0 } });
  const note = { order: 'A-1', 'cart.id': '٨٨١٢ 🙂', constructor: 'x', empty: '' };

  test('is stored and returned as it was given, by each process and in lists, and leaves with its session', async () => {
    const caller = newCaller();
    const to = newNumber();
    const { id } = await ramz.send(caller, { to, metadata: note });
    const message = await until(() => ramz.sms?.sent.find((each) => each.to === to), { what: 'the message' });
    await until(async () => (await ramz.get(caller, id)).messages[0]?.status === 'submitted', { what: 'the answer' });
    await ramz.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
    const session = await ramz.get(caller, id);
    expect(session.metadata).toEqual(note);
    expect(session.messages[0]?.receipts[0]?.metadata).toEqual(note);
    const other = await startProcess(database);
    expect((await other.get(caller, id)).metadata).toEqual(note);
    expect((await other.list(caller)).sessions).toMatchObject([{ id, metadata: note }]);
    await other.check(caller, { id, code: message.code });
    expect((await ramz.get(caller, id)).metadata).toEqual(note);
  });

  test('takes no room where there is none', async () => {
    const caller = newCaller();
    const { id } = await ramz.send(caller, { to: newNumber(), metadata: {} });
    expect((await ramz.get(caller, id)).metadata).toEqual({});
    const { rows } = await sql`select metadata from verify_session where id = ${id}`.execute(database.db);
    expect(rows).toEqual([{ metadata: null }]);
  });

  test('stays with a resend that leaves it out or gives it again, in any order', async () => {
    const caller = newCaller();
    const to = newNumber();
    const { id } = await ramz.send(caller, { to, metadata: note });
    const reversed = Object.fromEntries(Object.entries(note).reverse());
    for (const metadata of [{}, note, reversed])
      expect(await ramz.send(caller, { to, metadata })).toMatchObject({ id });
    expect((await ramz.get(caller, id)).metadata).toEqual(note);
  });

  test.each([
    ['another value', { ...note, order: 'A-2' }, 'order'],
    ['one key more', { ...note, zone: '1' }, 'zone'],
    ['one key less', { order: 'A-1' }, 'cart.id'],
    ['a key that every object has in JavaScript', { ...note, toString: 'x' }, 'toString'],
  ])('does not change: a resend with %s is refused, and names the key', async (_, metadata, key) => {
    const caller = newCaller();
    const to = newNumber();
    const { id } = await ramz.send(caller, { to, metadata: note });
    const refusal = await refusalOf(ramz.send(caller, { to, metadata }));
    expect(refusal).toMatchObject({ code: 'session_differs', field: `metadata.${key}`, metadata: { session_id: id } });
    expect((await ramz.get(caller, id)).sends).toBe(1);
  });

  test('is part of what an Idempotency-Key stands for, in whatever order', async () => {
    const caller = newCaller();
    const to = newNumber();
    const { id } = await ramz.send(caller, { to, metadata: { a: '1', b: '2' } }, 'same');
    expect((await ramz.send(caller, { to, metadata: { b: '2', a: '1' } }, 'same')).id).toBe(id);
    expect((await ramz.get(caller, id)).sends).toBe(1);
    const other = ramz.send(caller, { to, metadata: { a: '1', b: '3' } }, 'same');
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency_key_reused' });
  });
});
