// Two moods of an operator's binds against the real service: stuck, which stays connected and answers no message, and unbinding, which
// hangs up while messages are under way. What the timeline of a session says then, and that its code arrives.
import { afterEach, expect, test } from 'vitest';
import { bindsOf, testService } from '../support/service.ts';
import type { Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const operators = sandbox.operators.map((each) => ({ ...each, response_timeout_ms: 4_000 }));
service.configure({ operators, messaging: sandbox.messaging });
const server = await service.startProcess();
const { live } = server;

const order = async (action: object) => {
  const answer = await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(action) });
  expect(answer.status, await answer.text()).toBe(204);
};
await order({ action: 'messaging_callback', url: `${server.http}/v1/callbacks/messaging` });
const become = (mood: string) => order({ action: 'mood', of: 'atlas', mood });

/** Lines of the metrics about Atlas's binds that are in a state. */
const inState = async (state: string) => {
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  const line = new RegExp(`^ramz_smpp_bind_state\\{.*operator="atlas".*state="${state}".*\\} 1$`, 'gm');
  return text.match(line)?.length ?? 0;
};
const allBound = () => until(async () => (await bindsOf(server)).atlas === 2, { what: 'both binds' });
const threeEach = 6;

let next = 0;
async function sendSix(): Promise<Session[]> {
  const sent = Array.from({ length: threeEach }, async () => {
    next += 1;
    const cascade = ['sms', 'whatsapp'].map((channel) => ({ channel, timeout_seconds: 60 }));
    const { id } = await live.send(`+21355741${String(next).padStart(4, '0')}`, { cascade });
    return live.sessionWhen(id, 'it delivered', ({ delivery }) => delivery === 'delivered');
  });
  return Promise.all(sent);
}
const story = ({ timeline }: Session) =>
  timeline.map(({ kind, channel, reason }) => [kind, channel, reason].filter(Boolean).join(' '));
const channelsAt = (to: string) => sandbox.inbox.list({ to }).map(({ channel }) => channel);

afterEach(async () => {
  await order({ action: 'reset' });
  await allBound();
});

test('stuck: nobody knows whether it has the message, and three seconds later the next channel delivers', async () => {
  await allBound();
  await become('stuck');
  for (const session of await sendSix()) {
    expect(story(session).slice(0, 5)).toEqual([
      'session_opened sms',
      'leg_started sms',
      'message_unknown sms timeout',
      'leg_timed_out sms in_doubt',
      'leg_started whatsapp',
    ]);
    expect(channelsAt(session.to)).toEqual(['whatsapp']);
  }
  await until(async () => (await inState('sick')) === 2, { what: 'both binds to be sick' });
  await become('well');
  for (const session of await sendSix()) expect(story(session)).toContain('delivery_delivered');
  await until(async () => (await inState('bound')) > 0, { what: 'a bind to be trusted again' });
});

test('unbinding: what is under way is waited for, and no message is in doubt', async () => {
  await allBound();
  await become('unbinding');
  for (const session of await sendSix()) {
    const lines = story(session);
    expect(lines.filter((line) => line.startsWith('message_'))).toEqual(['message_submitted sms']);
    expect(lines.filter((line) => line.startsWith('leg_'))).toEqual(['leg_started sms']);
    expect(channelsAt(session.to)).toEqual(['sms']);
  }
  expect(server.log()).toContain('unbound_by_peer');
});
