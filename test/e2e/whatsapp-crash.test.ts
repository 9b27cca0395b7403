// A server is killed with -9 after the messaging platform has taken its message and before the answer is stored. The other
// server finds the message, does not send it again, and the platform's status tells it what became of it.
import { expect, test } from 'vitest';
import { callbackBody, graphServer, signatureOf } from '../support/graph.ts';
import { testService } from '../support/service.ts';
import type { Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const phoneNumberId = '106540352242922';
const graph = await graphServer();
const tariff = {
  version: '1',
  valid_from: '2026-01-01T00:00:00Z',
  currency: 'DZD',
  amount: '1.20',
  charged: 'delivery',
};
const service = await testService({
  errorsExpected: true,
  config: {
    messaging: {
      graph_base_url: graph.url,
      phone_number_id: phoneNumberId,
      access_token: 'token',
      app_secret: 'app-secret',
      verify_token: 'verify',
      template: { name: 'login_code' },
      tariff: [tariff],
    },
  },
});
const killed = await service.startProcess();
const left = await service.startProcess();

test('killed between the platform’s answer and its commit', async () => {
  graph.answerNext(() => {}); // Taken; the answer is still on its way when nobody is there any more.
  const { id } = await killed.live.send('+213550004711', {
    cascade: [{ channel: 'whatsapp', timeout_seconds: 60 }],
  });
  const request = await until(() => graph.requests[0], { what: 'the message to be taken' });
  await killed.process.end('SIGKILL');
  const wordOf = (session: Session) => `${session.messages[0]?.status} ${session.messages[0]?.reason}`;
  const found = (session: Session) => wordOf(session) === 'unknown process_lost';
  await left.live.sessionWhen(id, 'the message to be found', found);

  const status = { id: request.wamid, status: 'read', ownId: request.body.biz_opaque_callback_data };
  const body = callbackBody(phoneNumberId, status);
  const post = (signature: string) =>
    fetch(`${left.http}/v1/callbacks/messaging`, {
      method: 'POST',
      body,
      headers: { 'x-hub-signature-256': signature },
    });
  expect((await post(signatureOf(body, 'guessed'))).status).toBe(401);
  expect((await post(signatureOf(body))).status).toBe(200);

  const session = await left.live.session(id);
  expect(session).toMatchObject({ delivery: 'delivered', status: 'pending' });
  expect(session.messages).toMatchObject([
    {
      channel: 'whatsapp',
      operator: '',
      status: 'read',
      provider_message_id: request.wamid,
      cost: { amount: '1.20', currency: 'DZD', final: true },
      receipts: [{ status: 'DELIVRD', provider_status: 'read', operator: '' }],
    },
  ]);
  expect(graph.requests).toHaveLength(1);
});

test('the metrics tell of it', async () => {
  const metrics = await (await fetch(`${left.metrics}/metrics`)).text();
  expect(metrics).toMatch(/ramz_app_callbacks_total\{result="taken"\} 1/);
  expect(metrics).toMatch(/ramz_app_callbacks_total\{result="refused"\} 1/);
});
