// A sender name that an operator revokes while a session under it is pending: nothing more goes out under it, and the rest of the cascade runs.
import { expect, test } from 'vitest';
import { testService } from '../../support/service.ts';
import { type ErrorBody, serviceClient } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

const service = await testService({ config: { verify: { resend_interval_seconds: 0 } } });
const { sandbox, configure } = service;
configure({ messaging: sandbox.messaging });
const { http, live } = await service.startHere();
const admin = serviceClient(http, service.adminToken);
const sender_id = 'MyShop';
const sms = { channel: 'sms', timeout_seconds: 30 };
const whatsapp = { ...sms, channel: 'whatsapp' };

let last = 2_000_000;
const newNumber = () => `+21355${++last}`;

/** The sender of each SMS that reached the phone, once there are so many. */
const sendersAt = (to: string, count: number) =>
  until(
    () => {
      const found = sandbox.smsTo(to);
      return found.length >= count && found.map(({ from }) => from);
    },
    { what: `${count} SMS to ${to}` },
  );

/** Resolves once sends see it, too. */
async function decide(id: string, status: string, answered: number): Promise<void> {
  const decision = { operator: 'atlas', status, reason: 'the register' };
  expect(await admin.call('POST', `/v1/sender_ids/${id}/decisions`, decision)).toMatchObject({ status: 200 });
  const isSeen = async () =>
    (await live.call('POST', '/v1/limits/dry_run', { to: newNumber(), sender_id })).status === answered;
  await until(isSeen, { what: `${sender_id} to be ${status}`, everyMs: 25 });
}

test('a resend skips the SMS leg and goes on, or is refused where no leg is left', async () => {
  const { body: name } = await live.call<{ id: string }>('POST', '/v1/sender_ids', { name: sender_id });
  await decide(name.id, 'approved', 200);
  const [alone, followed] = [newNumber(), newNumber()];
  await live.send(alone, { sender_id, cascade: [sms] });
  await live.send(followed, { sender_id, cascade: [sms, whatsapp] });
  expect(await sendersAt(alone, 1)).toEqual([sender_id]);
  expect(await sendersAt(followed, 1)).toEqual([sender_id]);
  await live.send(alone);
  expect(await sendersAt(alone, 2)).toEqual([sender_id, sender_id]);

  await decide(name.id, 'revoked', 400);
  expect(await live.call<ErrorBody>('POST', '/v1/verify/send', { to: alone })).toMatchObject({
    status: 400,
    body: { error: { code: 'no_route', reasons: 'sender_id_not_approved' } },
  });
  const { id } = await live.send(followed, { channel: 'sms' });
  const { timeline } = await live.session(id);
  const resent = timeline.slice(timeline.findIndex(({ kind }) => kind === 'resend_requested'));
  expect(resent.slice(1, 3)).toMatchObject([
    { kind: 'leg_skipped', channel: 'sms', reason: 'sender_id_not_approved', detail: 'atlas' },
    { kind: 'leg_started', channel: 'whatsapp' },
  ]);
  expect([sandbox.smsTo(alone), sandbox.smsTo(followed)].map(({ length }) => length)).toEqual([2, 1]);

  await decide(name.id, 'approved', 200);
  await live.send(alone);
  expect(await sendersAt(alone, 3)).toEqual([sender_id, sender_id, sender_id]);
});
