// Which fields of a request are meant: with a mask, without one, and with one that names what there is not.

import { create, type DescMethodUnary, type MessageInitShape } from '@bufbuild/protobuf';
import { ConnectError, type UnaryRequest } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../../src/api/waist/errors.ts';
import { changes, updateMask } from '../../../../src/api/waist/interceptors/update-mask.ts';
import { AccountService } from '../../../../src/gen/ramz/v1/account_pb.ts';
import { VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { WebhookEndpointService } from '../../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';

/** The request as a handler gets it. */
async function settled<M extends DescMethodUnary>(method: M, init: MessageInitShape<M['input']>) {
  const message = create(method.input, init);
  const handle = updateMask()(async (request) => request as never);
  await handle({ stream: false, method, message } as unknown as UnaryRequest);
  return message as M extends DescMethodUnary<infer I> ? ReturnType<typeof create<I>> : never;
}

const { updateAccount } = AccountService.method;
const { updateWebhookEndpoint } = WebhookEndpointService.method;
const leg = { channel: 'sms' };

describe('without a mask', () => {
  test.each([
    ['nothing', {}, []],
    ['what is not empty', { name: 'Shop', cascade: [leg] }, ['name', 'cascade']],
    [
      'an optional field that is there, empty as it is',
      { defaultSenderId: '', inCountryOnly: false },
      ['default_sender_id', 'in_country_only'],
    ],
    ['no list without items', { cascade: [] }, []],
    ['a message that is there', { autofill: {} }, ['autofill']],
    ['an empty mask is none', { name: 'Shop', updateMask: { paths: [] } }, ['name']],
  ])('%s changes', async (_, init, paths) => {
    expect((await settled(updateAccount, init)).updateMask?.paths).toEqual(paths);
  });
});

describe('with a mask', () => {
  test('what it does not name is not there any more', async () => {
    const request = await settled(updateAccount, {
      name: 'Shop',
      language: 'fr',
      cascade: [leg],
      updateMask: { paths: ['language'] },
    });
    expect([request.name, request.language, request.cascade]).toEqual([undefined, 'fr', []]);
    expect(changes(request, 'language')).toBe(true);
    expect(changes(request, 'cascade')).toBe(false);
  });

  test('what it names and the request does not give is there, empty', async () => {
    const paths = ['name', 'in_country_only', 'autofill', 'cascade'];
    const request = await settled(updateAccount, { updateMask: { paths } });
    expect(request).toMatchObject({
      name: '',
      inCountryOnly: false,
      autofill: { webOrigins: [], androidApps: [] },
      cascade: [],
    });
    expect(request.updateMask?.paths).toEqual(paths);
  });

  test('* is every field but those of the path and the mask itself', async () => {
    const request = await settled(updateWebhookEndpoint, {
      id: 'whe_1',
      url: 'https://a.example',
      updateMask: { paths: ['*'] },
    });
    expect(request.updateMask?.paths).toEqual(['url', 'description', 'event_types', 'enabled']);
    expect(request).toMatchObject({ id: 'whe_1', url: 'https://a.example', description: '', enabled: false });
  });

  test.each([
    ['colour', 'update_mask: there is no field colour to change'],
    ['id', 'update_mask: there is no field id to change'],
    ['update_mask', 'update_mask: there is no field update_mask to change'],
    ['', 'update_mask: there is no field  to change'],
    ['x'.repeat(99), `update_mask: there is no field ${'x'.repeat(60)}… to change`],
  ])('a path that names nothing is refused: %s', async (path, message) => {
    const refused = await settled(updateWebhookEndpoint, { id: 'whe_1', updateMask: { paths: ['url', path] } }).catch(
      (error) => error,
    );
    expect(faultOf(refused as ConnectError)).toMatchObject({ code: 'unknown_field', field: 'update_mask', message });
  });

  test('any other path is refused in text that is well formed, wherever it is cut', async () => {
    const path = fc.string({ unit: fc.constantFrom('x', '.', '😀', '\ud800', '\udc00', '\0', 'é'), maxLength: 90 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('', 'autofill.'), path, async (whole, rest) => {
        const paths = [`${whole}${rest}`];
        const refused = await settled(updateAccount, { updateMask: { paths } }).catch((error) => error);
        const { code, message } = faultOf(refused);
        expect([code, message.isWellFormed()]).toEqual(['unknown_field', true]);
      }),
    );
  });

  test('a path into a field says that the field changes as a whole', async () => {
    const refused = await settled(updateAccount, { updateMask: { paths: ['autofill.web_origins'] } }).catch(
      (error) => error,
    );
    expect(refused).toBeInstanceOf(ConnectError);
    expect(faultOf(refused).message).toBe('update_mask: autofill changes as a whole, so name it without .web_origins');
  });
});

test('a request without a mask field stays as it is', async () => {
  const request = await settled(VerifyService.method.send, { to: '+213550000001' });
  expect(request).toMatchObject({ to: '+213550000001', channel: '' });
});
