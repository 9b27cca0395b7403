// The parts of the signup's page that decide, in the very files the browser loads: whom it believes, what it is told.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAllowedOrigin } from '../../../../src/api/signup/browser/origin.js';
import { readSignupEvent } from '../../../../src/api/signup/browser/result.js';

describe('an origin', () => {
  const platform = ['https://facebook.com'];

  test.each([
    'https://facebook.com',
    'https://www.facebook.com',
    'https://web.facebook.com',
    'https://business.web.facebook.com',
  ])('%s is the platform’s', (origin) => {
    expect(isAllowedOrigin(origin, platform)).toBe(true);
  });

  test.each([
    'http://www.facebook.com',
    'https://evilfacebook.com',
    'https://facebook.com.evil.example',
    'https://facebook.com:8443',
    'https://www.facebook.com@evil.example',
    'https://evil.example/https://facebook.com',
    'https://evil.example#.facebook.com',
    'https://facebook.com/',
    'HTTPS://FACEBOOK.COM',
    'https://facebook.com.',
    'https://',
    'null',
    '',
    'facebook.com',
    'javascript:facebook.com',
    'https://xn--facebook-.com',
  ])('%s is not', (origin) => {
    expect(isAllowedOrigin(origin, platform)).toBe(false);
  });

  test('of a simulator, http, stands for itself alone', () => {
    const sandbox = ['http://127.0.0.1:4000'];
    expect(isAllowedOrigin('http://127.0.0.1:4000', sandbox)).toBe(true);
    for (const other of [
      'http://127.0.0.1:4001',
      'https://127.0.0.1:4000',
      'http://a.127.0.0.1:4000',
      'http://localhost:4000',
    ]) {
      expect(isAllowedOrigin(other, sandbox)).toBe(false);
    }
  });

  test('a host that merely ends alike is never the platform’s', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,20}$/), (name) => {
        expect(isAllowedOrigin(`https://${name}facebook.com`, platform)).toBe(false);
      }),
    );
  });

  test('nothing is believed where nothing is allowed, and a bad entry allows nothing', () => {
    expect(isAllowedOrigin('https://www.facebook.com', [])).toBe(false);
    expect(isAllowedOrigin('https://www.facebook.com', ['facebook.com', ''])).toBe(false);
  });
});

describe('a message', () => {
  const message = (event: string, data: object) => ({ type: 'WA_EMBEDDED_SIGNUP', event, data, version: 3 });
  const ids = { waba_id: '104200000000001', phone_number_id: '109300000000002' };
  const finished = { kind: 'finished', wabaId: ids.waba_id, phoneNumberId: ids.phone_number_id };

  test.each([
    ['FINISH', ids, finished],
    ['FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING', ids, finished],
    ['FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING', { waba_id: ids.waba_id }, { kind: 'finished', wabaId: ids.waba_id }],
    ['FINISH_ONLY_WABA', { waba_id: ids.waba_id }, { kind: 'no_number' }],
    ['CANCEL', { current_step: 'PHONE_NUMBER_SETUP' }, { kind: 'canceled' }],
    ['CANCEL', { error_message: 'no', error_code: '524126' }, { kind: 'failed', code: '524126' }],
    ['CANCEL', { error_message: 'no', error_id: '<b>' }, { kind: 'failed', code: '' }],
    ['ERROR', { error_message: 'no' }, { kind: 'failed', code: '' }],
  ])('%s %j', (event, data, meaning) => {
    expect(readSignupEvent(message(event, data))).toEqual(meaning);
    expect(readSignupEvent(JSON.stringify(message(event, data)))).toEqual(meaning);
  });

  test.each([
    ['not JSON'],
    [null],
    [42],
    [{ type: 'OTHER', event: 'FINISH', data: ids }],
    [message('LATER', ids)],
    [message('FINISH', {})],
    [message('FINISH', { waba_id: '1; drop', phone_number_id: '2' })],
    [{ type: 'WA_EMBEDDED_SIGNUP', event: 7 }],
  ])('%j is none', (data) => {
    expect(readSignupEvent(data)).toBeNull();
  });

  test('anything at all is read without a fault', () => {
    fc.assert(fc.property(fc.oneof(fc.anything(), fc.json()), (data) => void readSignupEvent(data)));
  });
});
