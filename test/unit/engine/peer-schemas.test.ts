// The schemas of what processes send each other: every request and answer passes its own, and is refused where a field is missing or has
// another type.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import * as schemas from '../../../src/engine/peer-schemas.ts';
import { Story } from '../../support/session.ts';

const session = new Story().accept().session;
const account = { accountId: 'acct_1', mode: 'live' } as const;
const receipt = {
  id: 'rcp_1',
  messageId: 'msg_1',
  run: 1,
  channel: 'sms',
  operator: 'atlas',
  senderId: null,
  status: 'DELIVRD',
  providerStatus: null,
  errorCode: null,
  operatorTimestamp: 1,
  receivedAt: 2,
  providerMessageId: null,
  cost: null,
  call: null,
  raw: 'stat:DELIVRD',
};
const send = {
  ...account,
  idempotency: { route: '/v1/verify/send', key: 'k', request: '{}' },
  to: '+213551234567',
  purpose: 'login',
  channel: 'sms',
  cascade: [{ channel: 'sms', timeoutSeconds: null }],
  language: 'fr',
  codeLength: 6,
  code: null,
  ttlSeconds: null,
  senderId: null,
  clientReference: '',
  metadata: { cart: '8812' },
  autofill: { androidAppHash: 'abcdefghijk' },
  operation: 'vrf_1',
};
const client = { ip: '203.0.113.7', userAgent: '', deviceId: 'd' };
const within = [{ keyId: 'key_0', sendsPerDay: 9 }];
const restrictions = { addresses: ['203.0.113.0/24'], prefixes: ['+213'], sendsPerDay: 5, within };
const check = {
  ...account,
  idempotency: null,
  target: { to: '+213551234567', purpose: '' },
  code: '123456',
  operation: 'op',
};
const incoming = { ...receipt, detail: null, operatorAmount: null };
const carrier = { operator: 'atlas', references: ['1'], number: null, receipt: incoming };
const checked = { valid: false, reason: 'incorrect_code', attemptsRemaining: 4 };
const refused = {
  kind: 'refused',
  code: 'invalid_argument',
  field: 'to',
  message: 'to is wrong',
  metadata: { reason: 'x' },
};

const stopped = {
  rule: 'sequential_numbers',
  reason: 'adjacent',
  field: 'to',
  retryAfterMs: 3_600_000,
  stopId: 'stop_1',
};

const sent: [name: string, form: ZodType, value: object][] = [
  ['send', schemas.sendRequest, send],
  ['restricted', schemas.sendRequest, { ...send, apiKeyId: 'key_1', client, restrictions }],
  ['check', schemas.checkRequest, check],
  ['check by id', schemas.checkRequest, { ...check, target: { id: 'vrf_1' } }],
  ['cancel', schemas.cancelRequest, { ...account, id: 'vrf_1' }],
  ['report', schemas.cancelRequest, { ...account, id: 'vrf_1', reported: 'fraud' }],
  ['receipt', schemas.askedReceipt, { carrier, found: { accountId: 'a', id: 'vrf_1', messageId: 'msg_1' } }],
  ['sent', schemas.sendResult, { kind: 'sent', session }],
  ['counted', schemas.sendResult, { kind: 'sent', session, quota: { capacity: 5, refillPerSecond: 0.1, tokens: 4.2 } }],
  ['no route', schemas.sendResult, { kind: 'no_route', reasons: ['channel_down'] }],
  ['too soon', schemas.sendResult, { kind: 'resend_too_soon', session, resendAfter: 5 }],
  ['differs', schemas.sendResult, { kind: 'resend_differs', session, field: 'language' }],
  ['limited', schemas.sendResult, { kind: 'number_limited', retryAfterMs: 12.5 }],
  [
    'blocked',
    schemas.sendResult,
    { kind: 'guarded', finding: { rule: 'block_list', reason: 'block_list', field: 'to' } },
  ],
  ['stopped', schemas.sendResult, { kind: 'guarded', finding: stopped }],
  ['refused', schemas.sendResult, refused],
  ['replayed', schemas.sendResult, { kind: 'replayed', answer: { id: 'vrf_1', n: [1, null] } }],
  ['checked', schemas.checkResult, { kind: 'checked', checked, session }],
  ['malformed', schemas.checkResult, { kind: 'malformed_code', length: 6 }],
  ['locked', schemas.checkResult, { kind: 'number_locked', until: null }],
  ['canceled', schemas.cancelResult, { kind: 'ended', session, receipts: [receipt] }],
  ['over', schemas.cancelResult, { kind: 'over', session }],
];

test.each(sent)('%s passes its schema unchanged', (_, schema, value) => {
  const plain = JSON.parse(JSON.stringify(value));
  expect(schema.parse(plain)).toEqual(plain);
});

/** Paths of the fields that are not free to be anything. */
const optional = /^(apiKeyId|autofill|answer|client|metadata|found|idempotency|quota|reported|restrictions)\b/;
function paths(value: unknown, deep: readonly string[]): string[] {
  const from = Object(value) as Record<string, unknown>;
  return Object.keys(from).flatMap((key) =>
    deep.includes(key) ? [key, ...paths(from[key], deep).map((rest) => `${key}.${rest}`)] : [key],
  );
}

function changed(value: object, path: string, to: unknown): object {
  const copy = JSON.parse(JSON.stringify(value));
  const keys = path.split('.');
  const last = keys.pop() as string;
  const owner = keys.reduce((each, key) => each[key], copy);
  if (to === undefined) delete owner[last];
  else owner[last] = to;
  return copy;
}

test.each(sent)('%s is refused without one of its fields, and with a field of another type', (_, schema, value) => {
  const all = paths(value, ['session', 'target', 'checked', 'carrier']).filter((path) => !optional.test(path));
  // A timeline is a row of its own, not a field of the record.
  for (const path of all.filter((each) => !/timeline$|carrier\.(accepted|receipt)/.test(each))) {
    expect(schema.safeParse(changed(value, path, undefined)).success, `without ${path}`).toBe(false);
    expect(schema.safeParse(changed(value, path, () => {})).success, `with a wrong ${path}`).toBe(false);
  }
});

test('arbitrary JSON is refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...sent), (noise, [, schema]) => {
      if (schema === schemas.receiptResult) return;
      expect(schema.safeParse(noise).success).toBe(false);
    }),
  );
});
