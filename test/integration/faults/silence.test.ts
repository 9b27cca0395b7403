// An operator that says nothing for an hour: on a clock that goes when it is told to, over sockets that are real.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Bind, type BindOptions } from '../../../src/smpp/index.ts';
import { openTransport } from '../../../src/smpp/transport.ts';
import { proxyTo, type TcpProxy } from '../../peers/support/proxy.ts';
import { until } from '../../support/wait.ts';
import { FakeClock } from '../../unit/smpp/fake-clock.ts';
import { atlas } from './operator.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function bindTo({ port }: TcpProxy | { port: number }, clock: FakeClock, change: Partial<BindOptions> = {}) {
  const states: string[] = [];
  let socket: Socket | null = null;
  const bind = new Bind({
    host: '127.0.0.1',
    port,
    systemId: 'ramz-atlas',
    password: 'atlas-pw',
    type: 'transceiver',
    onDeliver: async () => ({ status: 0 }),
    observer: { onState: (state) => states.push(state) },
    open: async (...asked) => {
      const opened = await openTransport(...asked);
      if (opened.kind === 'open') socket = opened.stream as Socket;
      return opened;
    },
    random: () => 1,
    clock,
    ...change,
  });
  closers.push(() => bind.close(0));
  bind.start();
  return { bind, states, octetsRead: () => socket?.bytesRead };
}

const framesOf = ({ passed }: TcpProxy, end: 'esme' | 'smsc') =>
  passed.filter(({ from }) => from === end).map(({ frame }) => frame);
const sent = (proxy: TcpProxy, end: 'esme' | 'smsc', commandId: number) =>
  framesOf(proxy, end).filter((frame) => frame.readUInt32BE(4) === commandId).length;

const submit = {
  command: 'submit_sm' as const,
  source_addr_ton: 5,
  source_addr: 'Ramz',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: '213551234567',
  short_message: Buffer.from('Code 123456'),
};

test('nothing to do for an hour: asked every 25 s, answered, and the same connection sends the next message', async () => {
  const clock = new FakeClock();
  const proxy = await proxyTo((await atlas()).port);
  const { bind, states, octetsRead } = bindTo(proxy, clock);
  await until(() => bind.open, { what: 'the bind' });
  for (let asked = 1; asked <= 3_600 / 25; asked += 1) {
    clock.advance(25_000);
    await until(() => sent(proxy, 'esme', 0x15) === asked, { what: `enquire_link ${asked}`, everyMs: 1 });
    // Until the answer is in, as it would be 25 s later.
    await until(() => sent(proxy, 'smsc', 0x80000015) === asked, { what: 'its answer', everyMs: 1 });
    await until(() => octetsRead() === Buffer.concat(framesOf(proxy, 'smsc')).length, { what: 'all to be read' });
  }
  expect(await bind.submit(submit)).toMatchObject({ kind: 'answered', status: 0 });
  expect([proxy.connections, states]).toEqual([1, ['connecting', 'bound']]);
});

test('mute for an hour, accepting connections and saying nothing: tried with patience, and nothing piles up', async () => {
  const sockets: Socket[] = [];
  let binds = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      binds += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const clock = new FakeClock();
  const { bind } = bindTo({ port: (server.address() as AddressInfo).port }, clock);
  const pauses: number[] = [];
  while (clock.now() < 3_600_000) {
    await until(() => binds === pauses.length + 1, { what: 'the next bind', everyMs: 1 });
    clock.advance(10_000); // the bind is not answered
    await until(() => bind.state === 'backing_off', { what: 'patience', everyMs: 1 });
    expect(clock.pending.length).toBeLessThanOrEqual(2); // the pause, and the last connection's goodbye
    const pause = Math.max(...clock.pending);
    pauses.push(pause);
    clock.advance(pause);
  }
  expect(pauses.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  await until(() => sockets.length === pauses.length + 1, { what: 'the connection under way', everyMs: 1 });
  const open = () => sockets.filter((socket) => !socket.destroyed).length;
  await until(() => open() === 1, { what: 'all others to be gone' });
  expect(await bind.submit(submit)).toMatchObject({ kind: 'not_sent', reason: 'not_bound' });
});
