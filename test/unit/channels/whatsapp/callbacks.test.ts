// Callbacks of the platform, as it documents them, and as anybody with the secret might send them.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CarrierReceipt } from '../../../../src/channels/channel.ts';
import { readCallback, takeCallback } from '../../../../src/channels/whatsapp/callbacks.ts';
import { readStatus } from '../../../../src/channels/whatsapp/status.ts';
import { idSource } from '../../../../src/core/ids.ts';
import { callbackBody } from '../../../support/graph.ts';
import { account, ownId, wamid } from './support.ts';

const now = 1_790_000_000_000;
const status = (change: object = {}) => ({
  id: wamid,
  status: 'delivered',
  timestamp: '1789999999',
  recipient_id: '213550000099',
  biz_opaque_callback_data: ownId,
  pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication' },
  ...change,
});
const read = (input: unknown) => readStatus(input, { route: 'whatsapp/106', tariff: null, now });
const receiptOf = (change: object) => {
  const result = read(status(change));
  if (result.kind !== 'receipt') throw new Error(result.kind);
  return result.carrier.receipt;
};

describe('a status', () => {
  it.each([
    [{ status: 'sent' }, { status: 'ACCEPTD', providerStatus: 'sent', detail: null }],
    [{ status: 'delivered' }, { status: 'DELIVRD', providerStatus: 'delivered', detail: null }],
    [{ status: 'read' }, { status: 'DELIVRD', providerStatus: 'read', detail: 'read' }],
    [
      { status: 'failed', errors: [{ code: 131026 }] },
      { status: 'UNDELIV', errorCode: '131026' },
    ],
    [
      { status: 'failed', errors: [{ code: 131049 }] },
      { status: 'UNDELIV', errorCode: '131049' },
    ],
    [
      { status: 'failed', errors: [{ code: 132015 }] },
      { status: 'REJECTD', errorCode: '132015' },
    ],
    [
      { status: 'failed', errors: [{ code: 131042 }] },
      { status: 'REJECTD', errorCode: '131042' },
    ],
    [{ status: 'failed' }, { status: 'UNDELIV', errorCode: null }],
  ])('%j in SMPP’s words', (change, expected) => {
    expect(receiptOf(change)).toMatchObject(expected);
  });

  it('is matched by the platform’s id, else by ours among the messages of its number, never by the phone', () => {
    const result = read(status());
    expect(result).toMatchObject({
      kind: 'receipt',
      carrier: { operator: 'whatsapp', references: [wamid, `whatsapp/106 ${ownId}`], number: null },
    });
    // The last could not even be looked for in the database.
    for (const biz_opaque_callback_data of [undefined, '', 'order 7', `${ownId} `, `${ownId}\0`]) {
      const { carrier } = read(status({ biz_opaque_callback_data })) as { carrier: CarrierReceipt };
      expect(carrier.references).toEqual([wamid]);
    }
  });

  it.each([
    ['a price without words', { pricing: null }],
    ['a price of another form', { pricing: { billable: 'true', type: 7 } }],
    ['data of another sender', { biz_opaque_callback_data: { order: 7 } }],
  ])('is taken without what is beside it and not as documented: %s', (_, change) => {
    expect(receiptOf(change)).toMatchObject({ status: 'DELIVRD', providerMessageId: wamid });
    expect(receiptOf({ ...change, status: 'failed' })).toMatchObject({ status: 'UNDELIV', errorCode: null });
  });

  it('tells when, and keeps what came', () => {
    const receipt = receiptOf({});
    expect(receipt).toMatchObject({ operatorTimestamp: 1_789_999_999_000, receivedAt: now, providerMessageId: wamid });
    expect(JSON.parse(receipt.raw)).toEqual(status());
  });

  it('that is long is cut, and has no half of a character at the end', () => {
    const long = (many: number) =>
      receiptOf({ errors: [{ code: 1, title: `${'x'.repeat(many)}${'😀'.repeat(4_000)}` }] }).raw;
    for (const many of [0, 1]) expect([long(many).length, long(many).isWellFormed()]).toEqual([4_000, true]);
  });

  it.each([
    [{ pricing: { billable: true } }, true],
    [{ pricing: { billable: false } }, false],
    [{ pricing: { billable: true, type: 'free_entry_point' } }, false],
    [{ pricing: { type: 'regular' } }, true],
    [{ pricing: undefined }, undefined],
  ])('%j: charged? %s', (change, billable) => {
    expect(receiptOf(change).billable).toBe(billable);
  });

  it.each([
    [{}, null],
    [
      { pricing: { billable: true, type: 'regular', category: 'authentication_international' } },
      'authentication_international',
    ],
    [{ pricing: { billable: true, category: 'UTILITY' } }, 'utility'],
    [{ pricing: { billable: false, category: 'service' } }, null],
    [{ pricing: { billable: true } }, null],
    [{ pricing: undefined }, null],
  ])('%j: charged as what the tariff has no price of? %s', (change, otherCategory) => {
    expect(read(status(change))).toMatchObject({ kind: 'receipt', otherCategory });
  });

  it('we have no use for is passed over; one we can’t read is kept', () => {
    expect(read(status({ status: 'played' }))).toEqual({ kind: 'other' });
    for (const change of [{ timestamp: 'yesterday' }, { id: '' }, { status: 7 }, { errors: [{}], status: 'failed' }]) {
      expect(read(status(change))).toMatchObject({ kind: 'unreadable', raw: JSON.stringify(status(change)) });
    }
  });
});

describe('a callback', () => {
  const change = (value: object, field = 'messages') => ({ field, value });
  const body = (...changes: object[]) =>
    JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] });
  const metadata = { display_phone_number: '213550000000', phone_number_id: '106540352242922' };

  it('may carry many changes, and others’ business', () => {
    const text = body(
      change({ metadata, statuses: [status(), status({ status: 'read' })] }),
      change({ metadata, contacts: [], messages: [{ from: '213550000099', text: { body: 'hello' } }] }),
      change({ event: 'PARTNER_APP_UNINSTALLED' }, 'account_update'),
    );
    const read = readCallback(text);
    expect(read).toMatchObject({ kind: 'callback', otherFields: 1 });
    if (read.kind !== 'callback') return;
    expect(read.changes.map(({ statuses, inboundMessages }) => [statuses.length, inboundMessages])).toEqual([
      [2, 0],
      [0, 1],
    ]);
    // What people write to the number is none of our business.
    expect(JSON.stringify(read)).not.toContain('hello');
  });

  it('of any other form is told from one that is empty', () => {
    expect(readCallback('')).toMatchObject({ kind: 'unreadable' });
    expect(readCallback('[]')).toMatchObject({ kind: 'unreadable' });
    expect(readCallback(body())).toEqual({ kind: 'callback', changes: [], accounts: [], otherFields: 0 });
  });

  it('never throws', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.anything().map((value) => JSON.stringify(value) ?? ''),
    );
    fc.assert(fc.property(anything, (text) => ['callback', 'unreadable'].includes(readCallback(text).kind)));
    const statuses = fc.oneof(
      fc.anything({ withNullPrototype: false }),
      fc.record({ id: fc.string(), status: fc.constantFrom('sent', 'toString', '__proto__'), timestamp: fc.string() }),
    );
    fc.assert(
      fc.property(statuses, (input) => {
        const json: unknown = JSON.parse(JSON.stringify(input) ?? 'null');
        expect(['receipt', 'other', 'unreadable']).toContain(read(json).kind);
      }),
    );
  });
});

describe('statuses of messages that another system sends from the same number', () => {
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' };
  const failed = (code: number) => ({ status: 'failed', more: { errors: [{ code }] } });
  /** What becomes of them. `known`: wamids of messages that this service has sent. */
  async function taken(changes: object[], known: readonly string[] = []) {
    const kept: string[] = [];
    const told: unknown[] = [];
    const keep = async ({ references: [id = ''] }: CarrierReceipt) => void kept.push(id);
    const statuses = changes.map((each) => ({ id: wamid, status: 'sent', at: now, ...each }));
    await takeCallback(callbackBody('106', ...statuses), {
      billingOf: () => account(),
      routeOf: (id) => `whatsapp/${id}`,
      elsewhereOf: () => null,
      onRefused: (_, { code }) => told.push(code),
      onDelivered: () => told.push('delivered'),
      onAccountChange: async () => {},
      intake: {
        take: keep,
        takeKnown: async ({ references: [id = ''] }) => known.includes(id),
        takeUnreadable: async () => void kept.push('unreadable'),
        takeLateAnswer: async () => {},
        takeAnswered: async () => {},
      },
      now: () => now,
      observer: {
        otherCategory: (_, category) => told.push(category),
        ignored: (what, count) => told.push([what, count]),
      },
    });
    return { kept, told };
  }

  it('are counted and not kept, and their price is none of ours', async () => {
    const others = [{ more: { pricing } }, { status: 'delivered', ownId: 'campaign 7' }];
    expect(await taken(others)).toEqual({ kept: [], told: Array(2).fill(['unknown_message', 1]) });
    expect(await taken([{ ownId, more: { pricing } }], [wamid])).toEqual({ kept: [], told: ['marketing'] });
    expect(await taken([{ more: { pricing } }], [wamid])).toEqual({ kept: [], told: ['marketing'] });
  });

  it('as little as those of a code that is read days later, whose message is looked for no longer', async () => {
    const madeAt = (ms: number) => idSource({ now: () => ms, randomBytes })('msg_');
    const read = (ms: number) => ({ status: 'read', ownId: madeAt(now - ms) });
    expect(await taken([read(5 * 86_400_000)])).toEqual({ kept: [], told: [['old_message', 1], 'delivered'] });
    expect(await taken([read(3 * 86_400_000)], [wamid])).toEqual({ kept: [], told: ['delivered'] });
  });

  it('are not kept where they bring an id of ours back that is not known here: another deployment sent them', async () => {
    const ofOther = { status: 'sent', ownId: idSource({ now: () => now - 1_000, randomBytes })('msg_') };
    expect(await taken([{ ...ofOther, more: { pricing } }])).toEqual({ kept: [], told: [['unknown_message', 1]] });
    expect(await taken([{ ...ofOther, ...failed(132000) }])).toEqual({ kept: [], told: [['unknown_message', 1]] });
  });

  it('are no alarm about our template; what they say of the number itself counts', async () => {
    for (const code of [131047, 131063, 132000, 131051, 999_999]) {
      expect((await taken([failed(code)])).told).toEqual([['unknown_message', 1]]);
      expect((await taken([{ ...failed(code), ownId }], [wamid])).told).toEqual([String(code)]);
    }
    for (const code of [131042, 131031, 130429]) {
      expect((await taken([failed(code)])).told).toEqual([['unknown_message', 1], String(code)]);
    }
  });
});

describe('what a callback says of accounts', () => {
  const callback = (field: string, value: object, entry: object = { id: '104', time: 1_772_000_000 }) =>
    readCallback(
      JSON.stringify({ object: 'whatsapp_business_account', entry: [{ ...entry, changes: [{ field, value }] }] }),
    );
  const ended = (event: string, waba_id: unknown = '104') => ({
    event,
    waba_info: { waba_id, owner_business_id: '1' },
  });

  it.each(['PARTNER_APP_UNINSTALLED', 'PARTNER_REMOVED', 'ACCOUNT_DELETED'])('%s takes it away', (event) => {
    expect(callback('account_update', ended(event), { id: '999', time: 1_772_000_000 })).toMatchObject({
      accounts: [{ kind: 'ended', wabaId: '104', reportedAt: 1_772_000_000_000 }],
      otherFields: 0,
    });
  });

  it.each([
    [1_790_000_000, 1_790_000_000_000],
    ['2026-04-19T13:59:20+0000', Date.UTC(2026, 3, 19, 13, 59, 20)],
    ['2026-04-19T13:59:20+02:00', Date.UTC(2026, 3, 19, 11, 59, 20)],
    ['April 17', null],
    [undefined, null],
  ])('the end of a restriction, %j', (expiration, until) => {
    const restriction = { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration };
    const value = { event: 'ACCOUNT_RESTRICTION', restriction_info: [restriction] };
    expect(callback('account_update', value)).toMatchObject({ accounts: [{ kind: 'suspended', until }] });
  });

  it('a template’s turn names the account by the entry', () => {
    const value = { event: 'PAUSED', message_template_id: 1, message_template_name: 'login_code' };
    expect(callback('message_template_status_update', value)).toMatchObject({
      accounts: [{ kind: 'changed', wabaId: '104' }],
      otherFields: 0,
    });
  });

  it.each([
    ['account_update', ended('PARTNER_ADDED'), undefined],
    ['account_update', ended('PARTNER_APP_UNINSTALLED', 'x'), undefined],
    ['account_update', ended('PARTNER_APP_UNINSTALLED'), { id: '104' }],
    ['account_update', {}, undefined],
    ['message_template_status_update', {}, { id: 'x', time: 1 }],
  ])('%s %j is passed over', (field, value, entry) => {
    expect(callback(field, value, entry)).toMatchObject({ kind: 'callback', accounts: [], otherFields: 1 });
  });
});
