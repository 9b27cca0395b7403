// The names that every SDK gives to resources and operations: they are promises to users, so they are written out here.
import { expect, test } from 'vitest';
import { operationName } from '../../../sdks/codegen/src/client.ts';

test.each([
  ['Verify', 'Send', 'send'],
  ['Verify', 'GetSession', 'get'],
  ['Verify', 'ListSessions', 'list'],
  ['Verify', 'WatchSession', 'watch'],
  ['Account', 'CreateAccount', 'create'],
  ['Account', 'GetMeasures', 'get_measures'],
  ['ApiKey', 'ListApiKeys', 'list'],
  ['SenderId', 'DecideSenderId', 'decide'],
  ['WebhookEndpoint', 'CreateWebhookEndpoint', 'create'],
  ['WebhookEndpoint', 'RotateWebhookSecret', 'rotate_secret'],
  ['WebhookEndpoint', 'ListWebhookDeliveries', 'list_deliveries'],
  ['WebhookEndpoint', 'RedeliverWebhook', 'redeliver'],
  ['Waba', 'ConnectWaba', 'connect'],
  ['Waba', 'CreateWabaSignup', 'create_signup'],
])('%s.%s is %s', (service, method, name) => {
  expect(operationName(service, method)).toBe(name);
});
