// The messaging platform's pure parts: what a number stands for, limits, codes, texts, webhook bodies, request checks.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenarioNames, scenarioNumbers } from '../../../../src/core/verify/scenarios.ts';
import type { Clock } from '../../../../src/sandbox/clock.ts';
import { errorCodes } from '../../../../src/sandbox/platform/call.ts';
import { outcomeOf } from '../../../../src/sandbox/platform/faults.ts';
import { readMessage, readRecipient } from '../../../../src/sandbox/platform/message-schema.ts';
import { documentedLimits, SendLimiter } from '../../../../src/sandbox/platform/messages.ts';
import { bytesOf, type Change, payloadOf } from '../../../../src/sandbox/platform/notifier.ts';
import { Codes } from '../../../../src/sandbox/platform/oauth.ts';
import { signatureOf } from '../../../../src/sandbox/platform/subscriptions.ts';
import { readTemplate, render, shown, Templates } from '../../../../src/sandbox/platform/templates.ts';

const PREFIX = '+21355';

/** Stands still until the test moves it. */
function stoppedClock(): Clock & { at: number } {
  return { at: 1_700_000_000_000, now: () => clock.at, after: () => () => {} } satisfies Clock & { at: number };
}
let clock = stoppedClock();

describe('what a number stands for', () => {
  const numbers = scenarioNumbers(PREFIX);
  const steps = (e164: string) => {
    const outcome = outcomeOf(e164, PREFIX);
    return outcome.kind === 'refused' ? outcome.code : outcome.steps.map(({ status }) => status);
  };

  test('scenarios: delivered, silent after sent, not on the app', () => {
    expect(steps(numbers.sms_silent)).toEqual(['sent', 'delivered']);
    expect(steps(numbers.voice_busy)).toEqual(['sent']);
    expect(outcomeOf(numbers.app_unreachable, PREFIX)).toMatchObject({
      arrives: false,
      steps: [{ status: 'failed', errorCode: 131026 }],
    });
    for (const name of scenarioNames) expect(outcomeOf(numbers[name], PREFIX).kind).toBe('accepted');
  });

  test('any other number is delivered', () => {
    expect(steps('+213661234567')).toEqual(['sent', 'delivered']);
    expect(outcomeOf('+213661234567', PREFIX, 7)).toMatchObject({ steps: [{ delayMs: 5 }, { delayMs: 7 }] });
  });

  test('every code has a number that is refused with it and one that fails with it later', () => {
    for (const code of Object.keys(errorCodes).map(Number)) {
      const digits = String(code).padStart(6, '0');
      expect(steps(`${PREFIX}8${digits}`)).toBe(code);
      expect(outcomeOf(`${PREFIX}9${digits}`, PREFIX)).toMatchObject({
        arrives: false,
        steps: [{ status: 'failed', errorCode: code }],
      });
    }
  });

  test('no code, or another prefix: an ordinary number', () => {
    expect(steps(`${PREFIX}9999999`)).toEqual(['sent', 'delivered']);
    expect(steps('+213669131026')).toEqual(['sent', 'delivered']);
  });
});

describe('limits', () => {
  const start = (limits = documentedLimits) => {
    clock = stoppedClock();
    return new SendLimiter(clock, limits);
  };

  test('80 a second from one number, whatever the persons; another number has its own', () => {
    const limiter = start();
    const answers = Array.from({ length: 81 }, (_, index) => limiter.take('1', `+2135500${index}`));
    expect(answers.slice(0, 80).every((answer) => answer === null)).toBe(true);
    expect(answers[80]).toBe(130429);
    expect(limiter.take('2', '+1')).toBeNull();
    clock.at += 100;
    expect(Array.from({ length: 9 }, () => limiter.take('1', '+9')).filter((answer) => answer === null)).toHaveLength(
      8,
    );
  });

  test('45 at once to one person, then one each 6 s', () => {
    const limiter = start();
    for (let n = 0; n < 45; n += 1) expect(limiter.take('1', '+1')).toBeNull();
    expect(limiter.take('1', '+1')).toBe(131056);
    expect(limiter.take('1', '+2')).toBeNull();
    clock.at += 5_999;
    expect(limiter.take('1', '+1')).toBe(131056);
    clock.at += 2;
    expect(limiter.take('1', '+1')).toBeNull();
    expect(limiter.take('1', '+1')).toBe(131056);
  });

  test('a refusal takes no place', () => {
    const limiter = start({ perSecond: 2, pairBurst: 1, pairIntervalMs: 6_000 });
    expect(limiter.take('1', '+1')).toBeNull();
    expect(limiter.take('1', '+1')).toBe(131056);
    expect(limiter.take('1', '+2')).toBeNull();
    expect(limiter.take('1', '+3')).toBe(130429);
  });
});

describe('codes of the signup', () => {
  test('good once, for less than 30 s', () => {
    clock = stoppedClock();
    const codes = new Codes(clock);
    const [first, second] = [codes.issue('waba'), codes.issue('waba')];
    expect(codes.exchange('nothing')).toEqual({ kind: 'unknown' });
    clock.at += 29_999;
    expect(codes.exchange(first)).toEqual({ kind: 'ok', wabaId: 'waba' });
    expect(codes.exchange(first)).toEqual({ kind: 'used' });
    clock.at += 1;
    expect(codes.exchange(second)).toEqual({ kind: 'expired' });
  });
});

describe('templates', () => {
  const request = (over: Record<string, unknown> = {}) => ({
    name: 'login',
    language: 'en',
    category: 'AUTHENTICATION',
    message_send_ttl_seconds: 600,
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
    ...over,
  });
  const create = (over: Record<string, unknown> = {}) => {
    const read = readTemplate(request(over));
    if (read.kind === 'refused') throw new Error(JSON.stringify(read.answer.body));
    return new Templates({ clock, reviewMs: 0, onReviewed: () => {}, reviewResult: () => null }).create(
      'waba',
      read.request,
    );
  };

  test.each(['en', 'en_US', 'fr', 'ar'])('in %s the phone shows the code and how long it holds', (language) => {
    const text = render(create({ language }), '12$&34');
    expect(text).toContain('12$&34');
    expect(text).toContain('10');
    expect(text).not.toContain('{{');
  });

  test('types are taken in either case; the OTP button is shown as a URL button', () => {
    const components = [
      { type: 'body' },
      { type: 'buttons', buttons: [{ type: 'otp', otp_type: 'copy_code', text: 'Copier' }] },
    ];
    const template = create({ components, category: 'authentication' });
    expect(shown(template)).toMatchObject({
      status: 'PENDING',
      category: 'AUTHENTICATION',
      components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copier' }] }],
    });
  });

  test.each([
    ['a name with a capital', { name: 'Login' }],
    ['another category', { category: 'MARKETING' }],
    ['a language it does not speak', { language: 'xx' }],
    ['a life that is too long', { message_send_ttl_seconds: 901 }],
    ['a footer over 90 minutes', { components: [{ type: 'FOOTER', code_expiration_minutes: 91 }] }],
    ['no button', { components: [{ type: 'BODY' }] }],
    ['a text of its own', { components: [{ type: 'BODY', text: 'Hello {{1}}' }] }],
    ['an unknown key', { colour: 'red' }],
  ])('%s is refused', (_, over) => {
    expect(readTemplate(request(over))).toMatchObject({ kind: 'refused', answer: { status: 400 } });
  });
});

describe('webhook bodies', () => {
  const change = (wabaId: string, phone: string, id: string): Change => ({
    wabaId,
    field: 'messages',
    value: { metadata: { phone_number_id: phone }, statuses: [{ id }] },
    at: 1_700_000_000_999,
  });

  test('changes that go out together share entries, and changes of one number share its list', () => {
    const account: Change = { wabaId: 'a', field: 'account_update', value: { event: 'X' }, at: 0 };
    const changes = [change('a', '1', 'm1'), change('b', '3', 'm2'), change('a', '2', 'm3'), change('a', '1', 'm4')];
    expect(payloadOf([...changes, account])).toEqual({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: 'a',
          time: 1_700_000_000,
          changes: [
            {
              field: 'messages',
              value: { metadata: { phone_number_id: '1' }, statuses: [{ id: 'm1' }, { id: 'm4' }] },
            },
            { field: 'messages', value: { metadata: { phone_number_id: '2' }, statuses: [{ id: 'm3' }] } },
            { field: 'account_update', value: { event: 'X' } },
          ],
        },
        { id: 'b', time: 1_700_000_000, changes: [{ field: 'messages', value: change('b', '3', 'm2').value }] },
      ],
    });
  });

  test('bytes are ASCII with escaped slashes, and say what the payload says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { maxKeys: 3 }), (value) => {
        const bytes = bytesOf({ ...value, fixed: 'a/b é رمز 😀' });
        const text = bytes.toString('latin1');
        expect(bytes.every((byte) => byte < 0x80)).toBe(true);
        expect(/[^\\]\//.test(text)).toBe(false);
        expect(JSON.parse(text)).toEqual({ ...value, fixed: 'a/b é رمز 😀' });
      }),
    );
  });

  test('the signature is over these bytes', () => {
    const body = bytesOf({ text: 'é/' });
    const right = createHmac('sha256', 'secret').update('{"text":"\\u00e9\\/"}').digest('hex');
    expect(signatureOf(body, 'secret')).toBe(`sha256=${right}`);
  });
});

describe('requests', () => {
  test('whatever comes, it is read or refused with a Graph error', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (params, template) => {
        const read = readMessage({ messaging_product: 'whatsapp', type: 'template', to: '+1', ...params, template });
        if (read.kind === 'ok') return;
        expect(read.answer.status).toBeGreaterThanOrEqual(400);
        expect(read.answer.body).toMatchObject({ error: { code: expect.any(Number), fbtrace_id: expect.any(String) } });
      }),
    );
  });

  test.each([
    ['+213 55-00 (00) 001', '+213550000001'],
    ['213550000001', '+213550000001'],
    ['+0213', null],
    ['12', null],
    ['+21355000000x', null],
    ['++213550000001', null],
  ])('the recipient %s is %s', (to, e164) => {
    expect(readRecipient(to)).toBe(e164);
  });
});
