// What processes hand to each other: every request and answer survives the way, and one that lacks a field or has one of another type is
// not used.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import * as spoken from '../../../src/engine/spoken.ts';
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

const said: [name: string, form: ZodType, value: object][] = [
  ['send', spoken.sendRequest, send],
  ['restricted', spoken.sendRequest, { ...send, apiKeyId: 'key_1', client, restrictions }],
  ['check', spoken.checkRequest, check],
  ['check by id', spoken.checkRequest, { ...check, target: { id: 'vrf_1' } }],
  ['cancel', spoken.cancelRequest, { ...account, id: 'vrf_1' }],
  ['report', spoken.cancelRequest, { ...account, id: 'vrf_1', reported: 'fraud' }],
  ['receipt', spoken.askedReceipt, { carrier, found: { accountId: 'a', id: 'vrf_1', messageId: 'msg_1' } }],
  ['sent', spoken.sendResult, { kind: 'sent', session }],
  ['counted', spoken.sendResult, { kind: 'sent', session, quota: { capacity: 5, refillPerSecond: 0.1, tokens: 4.2 } }],
  ['no route', spoken.sendResult, { kind: 'no_route', reasons: ['channel_down'] }],
  ['too soon', spoken.sendResult, { kind: 'resend_too_soon', session, resendAfter: 5 }],
  ['differs', spoken.sendResult, { kind: 'resend_differs', session, field: 'language' }],
  ['limited', spoken.sendResult, { kind: 'number_limited', retryAfterMs: 12.5 }],
  [
    'blocked',
    spoken.sendResult,
    { kind: 'guarded', finding: { rule: 'block_list', reason: 'block_list', field: 'to' } },
  ],
  ['stopped', spoken.sendResult, { kind: 'guarded', finding: stopped }],
  ['refused', spoken.sendResult, refused],
  ['replayed', spoken.sendResult, { kind: 'replayed', answer: { id: 'vrf_1', n: [1, null] } }],
  ['checked', spoken.checkResult, { kind: 'checked', checked, session }],
  ['malformed', spoken.checkResult, { kind: 'malformed_code', length: 6 }],
  ['locked', spoken.checkResult, { kind: 'number_locked', until: null }],
  ['canceled', spoken.cancelResult, { kind: 'ended', session, receipts: [receipt] }],
  ['over', spoken.cancelResult, { kind: 'over', session }],
];

test.each(said)('%s comes as it went', (_, form, value) => {
  const plain = JSON.parse(JSON.stringify(value));
  expect(form.parse(plain)).toEqual(plain);
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

test.each(said)('%s without a field is refused, and with one of another type', (_, form, value) => {
  const all = paths(value, ['session', 'target', 'checked', 'carrier']).filter((path) => !optional.test(path));
  // A timeline is a row of its own, not a field of the record.
  for (const path of all.filter((each) => !/timeline$|carrier\.(accepted|receipt)/.test(each))) {
    expect(form.safeParse(changed(value, path, undefined)).success, `without ${path}`).toBe(false);
    expect(form.safeParse(changed(value, path, () => {})).success, `with a wrong ${path}`).toBe(false);
  }
});

test('any noise is refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...said), (noise, [, form]) => {
      if (form === spoken.receiptResult) return;
      expect(form.safeParse(noise).success).toBe(false);
    }),
  );
});
