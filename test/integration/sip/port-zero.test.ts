// Port 0 in what others write: the socket would throw, and the process would end with all its other channels.
import { expect, onTestFinished, test } from 'vitest';
import { Endpoint } from '../../../src/sip/index.ts';
import { until } from '../../support/wait.ts';
import { answerSdp, placeCall } from './callee.ts';
import { facing, rawPeer, request } from './raw-peer.ts';

test.each(['127.0.0.1:0', '127.0.0.1:0;rport'])(
  'a request with Via %s has no answer, and the next one has',
  async (via) => {
    const { peer, port } = await facing();
    peer.send(request('OPTIONS', 0, { via }), port);
    peer.send(request('OPTIONS', peer.port), port);
    await until(() => peer.heard.some((text) => text.startsWith('SIP/2.0 200')), { what: 'the second answer' });
    expect(peer.heard).toHaveLength(1);
  },
);

/** A resolver in which every name is the loopback address, with an SRV record of that port. */
const resolver = (port: number) => ({
  srv: async () => [{ name: 'host.callee.example', port, priority: 0, weight: 0 }],
  addresses: async () => ['127.0.0.1'],
});

test('a call whose Contact leads to port 0 is acknowledged where it came from', async () => {
  const peer = await rawPeer();
  const endpoint = new Endpoint({
    trunk: { host: '127.0.0.1', port: peer.port },
    transport: 'udp',
    local: { host: '127.0.0.1', port: 0 },
    resolver: resolver(0),
  });
  await endpoint.open();
  onTestFinished(() => endpoint.close(0));
  placeCall(endpoint);
  const invite = await until(() => peer.heard.find((text) => text.startsWith('INVITE')), { what: 'an INVITE' });
  const line = (name: string) => new RegExp(`^${name}: .*`, 'm').exec(invite)?.[0].trim() ?? '';
  const [, port = ''] = /^Via: .*?:(\d+);/m.exec(invite) ?? [];
  const answer = [
    'SIP/2.0 200 OK',
    ...['Via', 'From', 'Call-ID', 'CSeq'].map(line),
    `${line('To')};tag=callee`,
    'Contact: <sip:x@callee.example>',
    'Content-Type: application/sdp',
    `Content-Length: ${answerSdp.length}`,
    '',
    answerSdp,
  ];
  peer.send(answer.join('\r\n'), Number(port));
  await until(() => peer.heard.some((text) => text.startsWith('ACK')), { what: 'the ACK' });
});
