// A trunk without a stack: a UDP socket of a test that answers nothing by itself, and requests for it to send.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { onTestFinished } from 'vitest';
import { Endpoint } from '../../../src/sip/index.ts';
import { until } from '../../support/wait.ts';

/** A socket that answers nothing by itself. */
export async function rawPeer(address = '127.0.0.1') {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const heard: string[] = [];
  socket.on('message', (bytes) => heard.push(bytes.toString('latin1')));
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  let isOpen = true;
  const close = async () => {
    if (isOpen) await new Promise<void>((resolve) => socket.close(() => resolve()));
    isOpen = false;
  };
  onTestFinished(close);
  return {
    port: socket.address().port,
    heard,
    close,
    send: (text: string, port: number) => socket.send(Buffer.from(text, 'latin1'), port, '127.0.0.1'),
  };
}

/** Of the trunk, outside of any call. */
export const request = (method: string, port: number, extra: Partial<Record<'to' | 'callId' | 'via', string>> = {}) =>
  [
    `${method} sip:ramz@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP ${extra.via ?? `127.0.0.1:${port};rport`};branch=z9hG4bKtest`,
    'Max-Forwards: 70',
    'From: <sip:peer@127.0.0.1>;tag=peer',
    `To: ${extra.to ?? '<sip:ramz@127.0.0.1>'}`,
    `Call-ID: ${extra.callId ?? 'outside'}`,
    `CSeq: 7 ${method}`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

/** An endpoint whose trunk is a raw socket, and the endpoint's port. */
export async function facing(address = '127.0.0.1') {
  const peer = await rawPeer(address);
  const dropped: string[] = [];
  const endpoint = new Endpoint({
    trunk: { host: address, port: peer.port },
    transport: 'udp',
    local: { host: '127.0.0.1', port: 0 },
    onDropped: (why) => dropped.push(why),
  });
  await endpoint.open();
  onTestFinished(() => endpoint.close(0));
  void endpoint.ping(10_000);
  const [, port = ''] = await until(() => /^Via: .*127\.0\.0\.1:(\d+)/m.exec(peer.heard[0] ?? ''), { what: 'OPTIONS' });
  peer.heard.length = 0;
  return { endpoint, peer, port: Number(port), dropped };
}
