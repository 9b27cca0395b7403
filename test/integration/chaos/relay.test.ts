// The driver's network between peer ports: what is cut off hears nothing and is not hung up on, and gets all of it afterwards.
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Server } from '../../chaos/plan.ts';
import { Relay } from '../../chaos/relay.ts';
import { until } from '../../support/wait.ts';

async function lineTo(to: Server) {
  const relay = new Relay();
  const port = await relay.listen();
  const sockets: Socket[] = [];
  const heard: string[] = [];
  const called = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => heard.push(String(chunk)));
  });
  called.listen(0, '127.0.0.1');
  await once(called, 'listening');
  const calledPort = (called.address() as AddressInfo).port;
  relay.learn(calledPort, to);
  const caller = net.connect(port, '127.0.0.1');
  caller.write(`a ${calledPort}\nhello `);
  onTestFinished(async () => {
    caller.destroy();
    for (const socket of sockets) socket.destroy();
    await relay.close();
    called.close();
    await once(called, 'close');
  });
  await until(() => heard.join('') === 'hello ', { what: 'the first words' });
  return { relay, caller, heard, sockets };
}

test.each([['a'], ['b']] as const)('a line from a to b, %s cut off: held, then carried', async (part) => {
  const { relay, caller, heard } = await lineTo('b');
  relay.cut([part]);
  caller.write('there');
  await pause(50);
  expect(heard.join('')).toBe('hello ');
  relay.heal();
  await until(() => heard.join('') === 'hello there', { what: 'the rest' });
});

test('a line between others is not touched, and the end of one end ends the other', async () => {
  const { relay, caller, heard, sockets } = await lineTo('b');
  relay.cut(['c']);
  caller.write('there');
  await until(() => heard.join('') === 'hello there', { what: 'the rest' });
  const over = once(caller, 'close');
  sockets[0]?.destroy();
  await over;
});
