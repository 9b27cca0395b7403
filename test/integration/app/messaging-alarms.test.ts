// The alarms of the messaging app in /metrics, each made by what the sandbox's platform answers or reports.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { callbackBody } from '../../support/graph.ts';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging });
const { app, live, http, log, metrics } = await service.startHere();

const order = async (action: object) => {
  const answer = await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(action) });
  expect(answer.status, await answer.text()).toBe(204);
};
await order({ action: 'messaging_callback', url: `${http}/v1/callbacks/messaging` });
const send = (to: string) => live.send(to, { cascade: [{ channel: 'whatsapp', timeout_seconds: 60 }] });
const shown = (line: string) =>
  until(async () => (await (await fetch(`${metrics}/metrics`)).text()).split('\n').includes(line), { what: line });

test('an answer that refuses the template', async () => {
  await send('+213558132001');
  await shown('ramz_app_misconfigured_total{whose="deployment"} 1');
});

test('an answer with a code that nobody knows', async () => {
  const body = JSON.stringify({ error: { message: 'new', type: 'OAuthException', code: 999_999, fbtrace_id: 'A' } });
  await order({ action: 'messaging_answer', status: 400, body });
  await send('+213551110001');
  await shown('ramz_app_unknown_codes_total 1');
});

test('an answer that takes a message and holds it back', async () => {
  const messages = [{ id: 'wamid.HELD', message_status: 'held_for_quality_assessment' }];
  await order({ action: 'messaging_answer', status: 200, body: JSON.stringify({ messages }) });
  await send('+213551110002');
  await shown('ramz_app_exchanges_total{meaning="held"} 1');
  expect(log()).toContain('"message_status":"held_for_quality_assessment"');
});

test('a status with the price of another category', async () => {
  const { phone_number_id, app_secret } = sandbox.messaging;
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication_international' };
  const { id } = await send('+213551110003');
  const { messages } = await live.sessionWhen(id, 'submitted', (session) => session.messages[0]?.status !== 'queued');
  const ownId = messages[0]?.id ?? '';
  const body = callbackBody(String(phone_number_id), { id: 'wamid.DEAR', status: 'sent', ownId, more: { pricing } });
  const signature = `sha256=${createHmac('sha256', String(app_secret)).update(body).digest('hex')}`;
  const headers = { 'x-hub-signature-256': signature };
  const answer = await fetch(`${http}/v1/callbacks/messaging`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  await shown('ramz_app_other_categories_total 1');
  expect(log()).toContain('"category":"authentication_international"');
});

test('a status that says that the account is unpaid', async () => {
  await send('+213559131042');
  await shown(`ramz_app_down{number="${sandbox.messaging.phone_number_id}",whose="deployment"} 1`);
});

test('a number that is replaced while it is down is not shown any more', async () => {
  service.configure({ messaging: { ...sandbox.messaging, phone_number_id: '200002' } });
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  await app.reload(loaded.config);
  expect(await (await fetch(`${metrics}/metrics`)).text()).not.toContain('ramz_app_down{');
});
