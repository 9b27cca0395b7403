import { describe, expect, test } from 'vitest';
import { createRouter, parseTemplate } from '../../../src/api/rest/router.ts';
import { GetSessionRequestSchema, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { WebhookEndpointService } from '../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';

const router = createRouter([...VerifyService.methods, ...WebhookEndpointService.methods]);

describe('matching', () => {
  test('plain and variable segments', () => {
    expect(router.match('POST', '/v1/verify/send')).toMatchObject({ kind: 'found', variables: {} });
    expect(router.match('POST', '/v1/webhook_endpoints/whe_1/deliveries/evt_2/redeliver')).toMatchObject({
      kind: 'found',
      variables: { id: 'whe_1', event_id: 'evt_2' },
    });
  });

  test('a variable is decoded after the path was split', () => {
    expect(router.match('GET', '/v1/verify/sessions/a%2Fb')).toMatchObject({ kind: 'found', variables: { id: 'a/b' } });
  });

  test.each([
    '/',
    '',
    '/v1',
    '/v1/verify/send/',
    '/v1/verify/sessions/',
    '/v1/verify/sessions/a/b',
    '//v1/verify/send',
  ])('%s is no route', (path) => {
    expect(router.match('GET', path)).toEqual({ kind: 'none' });
  });

  test('another verb', () => {
    expect(router.match('GET', '/v1/verify/send')).toEqual({ kind: 'wrong_verb', allow: ['POST'] });
    expect(router.match('PUT', '/v1/webhook_endpoints/whe_1')).toEqual({
      kind: 'wrong_verb',
      allow: ['GET', 'PATCH', 'DELETE'],
    });
  });

  test('a malformed variable', () => {
    expect(router.match('GET', '/v1/verify/sessions/%E0%A4%A')).toEqual({ kind: 'malformed' });
  });
});

describe('templates', () => {
  test('what can not be read is a mistake of the contract', () => {
    for (const template of ['v1/x', '/v1/{nothing}', '/v1/{id=**}', '/v1/a b', '/v1/{id}:cancel']) {
      expect(() => parseTemplate(template, GetSessionRequestSchema)).toThrow();
    }
  });

  test('two methods may not claim one route', () => {
    const { send } = VerifyService.method;
    expect(() => createRouter([send, send])).toThrow(/two methods for POST \/v1\/verify\/send/);
  });

  test('a stream is a route that is read', () => {
    const { routes } = createRouter([VerifyService.method.watchSession]);
    expect(routes).toMatchObject([{ verb: 'GET', template: '/v1/verify/sessions/{id}/events' }]);
  });
});
