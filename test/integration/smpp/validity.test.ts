// A message whose validity_period the SMSC does not understand (0x62).
import { expect, onTestFinished, test } from 'vitest';
import { operatorConfig, testChannel } from '../../peers/support/channel.ts';
import { Smsc } from '../../support/npm-smsc.ts';
import { until } from '../../support/wait.ts';

test('it keeps no place, and waits for none: its lease is looked at again before the other form goes out', async () => {
  const smsc = await Smsc.listen();
  onTestFinished(() => smsc.close());
  const answers: (() => void)[] = [];
  smsc.onSubmit = (pdu, session) => {
    const isNone = pdu.validity_period === '';
    answers.push(() => (isNone ? smsc.accept(pdu, session) : session.send(pdu.response({ command_status: 0x62 }))));
  };
  const binds = [{ host: '127.0.0.1', port: smsc.port, system_id: 'ramz', password: 'secret08' }];
  const { send, bound, order } = testChannel(operatorConfig({ window: 1, binds }));
  await bound();
  const first = send({ id: 'msg_first' });
  const second = send({ id: 'msg_second' });
  await smsc.got('submit_sm');
  answers[0]?.();
  expect(await first).toEqual({ kind: 'not_sent', reason: 'other_validity' });
  // The only place is the second message's now.
  await smsc.got('submit_sm', 2);
  expect(order).toEqual(['not_sent']);
  const again = send({ id: 'msg_first' });
  answers[1]?.();
  expect(await second).toMatchObject({ kind: 'not_sent' });
  await until(() => answers.length === 3, { what: 'the first message once more' });
  answers[2]?.();
  expect(await again).toMatchObject({ kind: 'accepted' });
});
