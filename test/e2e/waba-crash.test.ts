// kill -9 while an account is being linked: the next process takes its steps up, and the business notices nothing.
import { expect, test } from 'vitest';
import { testService } from '../support/service.ts';
import type { Waba } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const { platform } = sandbox;
service.configure({ messaging: sandbox.messaging });

test('a link begun by one process is finished by another, and used', async () => {
  const first = await service.startProcess();
  const { id: waba_id } = platform.accounts.addWaba('Example Shop');
  const { id: phone_number_id } = platform.accounts.addPhone(waba_id, '+213550008801', 'Example Shop');
  const access_token = platform.accounts.issueToken(waba_id).token;
  platform.faults.reviewResult = null;
  await first.live.call('POST', '/v1/waba', { waba_id, phone_number_id, access_token });
  await until(() => platform.templates.of(waba_id).length === 3, { what: 'the templates' });
  await first.process.end('SIGKILL');

  const second = await service.startProcess();
  for (const template of platform.templates.of(waba_id)) platform.templates.decide(template, 'APPROVED');
  const linked = await until(
    async () => {
      const { body } = await second.live.call<Waba>('GET', '/v1/waba');
      if (body.status === 'connected') return body;
      throw new Error(JSON.stringify(body));
    },
    { what: 'the link', everyMs: 200 },
  );
  expect(linked).toMatchObject({ phone_number_id, display_name: 'Example Shop' });
  expect(platform.accounts.phones.get(phone_number_id)?.registrations).toBe(1);
  expect(platform.templates.of(waba_id)).toHaveLength(3);
  const to = '+213557355555';
  await second.live.send(to, { cascade: [{ channel: 'whatsapp', timeout_seconds: 20 }] });
  const seen = await until(() => sandbox.inbox.list({ to, channel: 'whatsapp' })[0], { what: 'the message' });
  expect(seen.from).toBe('Example Shop');
});
