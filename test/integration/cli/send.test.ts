// The story of a call in the terminal: it waits for the hang-up, because a call's cost is known only then.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { playStory } from '../../../src/cli/send.ts';
import { listen } from '../../support/listen.ts';

const to = '+213551234567';
const entry = (kind: string, detail = '') => ({ at: '2026-11-22T17:12:40.765Z', kind, channel: 'voice', detail });

test('the story of a call goes on until the hang-up', async () => {
  let looks = 0;
  const session = () => {
    looks += 1;
    const ended = looks > 3;
    const timeline = [entry('call_answered'), ...(ended ? [entry('receipt_received', 'last')] : [])];
    const total_cost = [{ amount: ended ? '1.20' : '0.00', currency: 'DZD' }];
    return {
      id: 'vrf_1',
      status: 'pending',
      delivery: 'delivered',
      messages: [{ call: { ended } }],
      timeline,
      total_cost,
    };
  };
  const answers: Record<string, () => object> = {
    'POST /v1/verify/send': () => ({ id: 'vrf_1', cascade: [{ timeout_seconds: 45 }] }),
    'POST /v1/verify/check': () => ({ valid: true, reason: '' }),
    'GET /v1/verify/sessions/vrf_1': session,
    'GET /sandbox/messages': () => ({ messages: [{ text: 'call: 4 0 7 2', digits: '4072' }] }),
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[`${request.method} ${path}`]?.()));
  });
  const { port } = await listen(server);
  const http = `http://127.0.0.1:${port}`;
  const said: string[] = [];
  const exit = await playStory(to, { http, sandbox: http, api_key: 'k', numbers: {} }, (line) => said.push(line));
  expect(exit).toBe(0);
  expect(said).toEqual([
    `session vrf_1 to ${to}`,
    '  17:12:40.765  call_answered (voice)',
    'the phone shows: 4072',
    'checked: valid',
    '  17:12:40.765  receipt_received (voice, last)',
    'cost: 1.20 DZD',
  ]);
});
