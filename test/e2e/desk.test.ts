// The key of a support desk: `read` without `numbers`. Whatever it may read, at every door, shows no phone number in any form, and what it may not do is
// refused. The operations are read from the contract.

import type { DescMethod, DescMethodServerStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { afterAll, expect, test } from 'vitest';
import { methodRules } from '../../src/api/waist/method-options.ts';
import { formsOf } from '../../src/core/erasure/number-forms.ts';
import { callers } from '../support/doors.ts';
import { allMethods, shortName } from '../support/methods.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging });
const { http, live, app } = await service.startHere();
await sandbox.platform.subscriptions.subscribe(`${http}/v1/callbacks/messaging`, sandbox.messagingIdentity.verifyToken);
const doors = callers(app);
afterAll(() => {
  for (const door of doors) door.close();
});

const made = async (path: string, body: object) =>
  (await live.call<{ id: string; key: string }>('POST', path, body)).body;
const to = '+213664330177';
const { id: endpoint } = await made('/v1/webhook_endpoints', { url: `${sandbox.webhookUrl}?desk` });
const { id: sender } = await made('/v1/sender_ids', { name: 'Desk' });
const sms = await live.send(to);
const chat = await live.send(to, { purpose: 'app', channel: 'whatsapp' });
for (const { id } of [sms, chat])
  await live.sessionWhen(id, 'its delivery', ({ delivery }) => delivery === 'delivered');
const deliveries = async () =>
  (await live.call<{ deliveries: object[] }>('GET', `/v1/webhook_endpoints/${endpoint}/deliveries`)).body;
await until(async () => (await deliveries()).deliveries.length >= 4, { what: 'webhooks' });
await live.call('POST', `/v1/verify/sessions/${sms.id}/cancel`);

const { key } = await made('/v1/api_keys', { name: 'support desk', person: 'Amina Haddad', scopes: ['read'] });
const headers = { authorization: `Bearer ${key}` };

/** Requests of operations that need more than nothing. */
const reads: Record<string, JsonObject[]> = {
  'LimitsService/DryRun': [{ to }],
  'SenderIdService/GetSenderId': [{ id: sender }],
  'VerifyService/GetSession': [{ id: sms.id }, { id: chat.id }],
  'VerifyService/WatchSession': [{ id: sms.id }],
  'WebhookEndpointService/GetWebhookEndpoint': [{ id: endpoint }],
  'WebhookEndpointService/ListWebhookDeliveries': [{ id: endpoint }],
};
const methods = await allMethods();
const rulesOf = (method: DescMethod) => methodRules(method);
const ofKeys = methods.filter((method) => rulesOf(method).access === 'key');
const readable = ofKeys.filter((method) => rulesOf(method).scope === 'read');
expect(readable.length).toBeGreaterThan(10);

/** What is not simply shown: the account has no WhatsApp account of its own, and the rules of a dry run know single numbers. */
const others: Record<string, string> = {
  'LimitsService/DryRun': 'missing_scope',
  'WabaService/GetWaba': 'waba_not_found',
};
const answered = (name: string) => others[name] ?? 'ok';

test.each(doors.map((door) => [door.door, door] as const))('over %s', async (_, door) => {
  const number = new RegExp(formsOf(to).pattern);
  const shown: Record<string, string> = {};
  for (const method of readable) {
    const name = shortName(method);
    for (const asked of reads[name] ?? [{}]) {
      const input = fromJson(method.input, asked);
      const outcomes = [];
      if (method.methodKind === 'server_streaming') {
        for await (const one of door.stream(method as DescMethodServerStreaming, input, headers)) outcomes.push(one);
      } else outcomes.push(await door.call(method as DescMethodUnary, input, headers));
      const text = JSON.stringify(outcomes);
      expect(text, name).toContain(answered(name));
      expect(text, name).not.toMatch(number);
      shown[name] = (shown[name] ?? '') + text;
    }
  }
  for (const name of ['GetSession', 'ListSessions', 'WatchSession'])
    expect(shown[`VerifyService/${name}`]).toContain('+2136*****77');

  for (const method of ofKeys.filter((each) => !readable.includes(each))) {
    const outcome = await door.call(method as DescMethodUnary, fromJson(method.input, {}), headers);
    expect(outcome, shortName(method)).toMatchObject({ kind: 'error', code: 'missing_scope' });
  }
});
