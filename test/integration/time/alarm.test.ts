// A time limit rings after what had arrived was read, whoever waits for the answer.
import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { exchange } from '../../../src/http/exchange.ts';
import { systemClock } from '../../../src/smpp/timers.ts';
import { alarm } from '../../../src/time/alarm.ts';
import { lateReader } from '../../support/late-reader.ts';
import { connected, submit } from '../../unit/smpp/connected.ts';

/** Long enough for the request to be sent, however busy the machine is. */
const limitMs = 5_000;

test('the answer comes first, and then there is no alarm', async () => {
  const { port, standStill } = await lateReader(Buffer.from('yes'));
  const socket = connect(port, '127.0.0.1');
  const happened: string[] = [];
  const timer = alarm(() => happened.push('late'), limitMs);
  socket.on('data', (data) => {
    happened.push(String(data));
    timer.clear();
  });
  socket.write('?');
  await standStill(limitMs);
  await once(socket, 'data');
  await new Promise((resolve) => setImmediate(resolve));
  expect(happened).toEqual(['yes']);
  socket.destroy();
});

test('an HTTP call has its answer', async () => {
  const { port, standStill } = await lateReader(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'));
  const agent = new Agent({ allowH2: false });
  const url = `http://127.0.0.1:${port}/`;
  const answer = exchange(agent, { method: 'POST', url, headers: {}, timeoutMs: limitMs, maxBodyBytes: 0 });
  await standStill(limitMs);
  expect(await answer).toMatchObject({ status: 204 });
  await agent.destroy();
});

test('an SMPP request has its answer', async () => {
  const { port, standStill } = await lateReader(Buffer.from('000000128000000400000000000000017800', 'hex'));
  const socket = connect(port, '127.0.0.1');
  const { connection } = connected({ clock: systemClock, responseTimeoutMs: limitMs }, socket);
  const outcome = connection.request(submit);
  await standStill(limitMs);
  expect(await outcome).toMatchObject({ kind: 'answered', status: 0 });
  connection.destroy({ kind: 'closed_by_us', detail: 'over' });
});
