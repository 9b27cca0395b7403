// What comes to the port outside of calls: the trunk's own requests, garbage, and strangers.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { until } from '../../support/wait.ts';
import { answerSdp, placeCall } from './callee.ts';
import { facing, rawPeer, request } from './raw-peer.ts';

test.each([
  ['OPTIONS', {}, 200],
  ['INVITE', {}, 403],
  ['REGISTER', {}, 405],
  ['BYE', {}, 481],
  ['CANCEL', {}, 481],
  ['INVITE', { to: '<sip:ramz@127.0.0.1>;tag=gone' }, 481],
  ['OPTIONS', { callId: 'two words' }, 400],
] as const)('the trunk asks %s %j outside of a call', async (method, extra, status) => {
  const { peer, port } = await facing();
  peer.send(request(method, peer.port, extra), port);
  peer.send(request(method, peer.port, extra), port);
  await until(() => peer.heard.filter((text) => text.startsWith(`SIP/2.0 ${status} `)).length === 2, {
    what: 'answers',
  });
  const [first, second] = peer.heard.filter((text) => text.startsWith('SIP/2.0'));
  expect(first).toBe(second);
  expect(first).toContain(`rport=${peer.port}`);
});

test('no answer is given to an ACK, to garbage and to keep-alives; garbage is counted', async () => {
  const { peer, port, dropped } = await facing();
  for (const text of [request('ACK', peer.port), '\r\n\r\n', 'garbage', 'SIP/2.0 200 OK\r\n\r\n'])
    peer.send(text, port);
  peer.send(request('OPTIONS', peer.port), port);
  await until(() => peer.heard.some((text) => text.startsWith('SIP/2.0 200')), { what: 'the answer to OPTIONS' });
  expect(peer.heard.filter((text) => text.startsWith('SIP/2.0'))).toHaveLength(1);
  expect(dropped).toEqual(['unreadable', 'unreadable']);
});

test('an answer without rport goes to the port of the Via', async () => {
  const { peer, port } = await facing();
  const other = await rawPeer();
  peer.send(request('OPTIONS', 0, { via: `127.0.0.1:${other.port}` }), port);
  await until(() => other.heard.length === 1, { what: 'the answer' });
});

test.skipIf(process.platform !== 'linux')(
  'a stranger gets nothing, and is counted; the trunk is answered',
  async () => {
    const { endpoint, peer, port, dropped } = await facing();
    const stranger = await rawPeer('127.0.0.2');
    stranger.send(request('OPTIONS', stranger.port), port);
    stranger.send('garbage', port);
    peer.send(request('OPTIONS', peer.port), port);
    await until(() => peer.heard.some((text) => text.startsWith('SIP/2.0 200')), { what: "the trunk's answer" });
    await until(() => endpoint.dropped === 2, { what: 'two to be counted' });
    expect(dropped).toEqual(['stranger', 'stranger']);
    expect(stranger.heard).toEqual([]);
  },
);

test('mutated messages of the trunk, in and out of calls, disturb nothing', async () => {
  const { endpoint, peer, port } = await facing();
  const ringing = placeCall(endpoint);
  const invite = await until(() => peer.heard.find((text) => text.startsWith('INVITE')), { what: 'an INVITE' });
  const line = (name: string) => new RegExp(`^${name}: .*`, 'm').exec(invite)?.[0].trim();
  const of = (start: string, cseq: string, body: string) =>
    `${[start, line('Via'), line('From'), `${line('To')};tag=x`, line('Call-ID'), `CSeq: ${cseq}`].join('\r\n')}\r\nContact: <sip:x@127.0.0.1:${peer.port}>\r\nContent-Type: application/sdp\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const seeds = [
    of('SIP/2.0 180 Ringing', '1 INVITE', ''),
    of('SIP/2.0 200 OK', '1 INVITE', answerSdp),
    of('INFO sip:x@127.0.0.1 SIP/2.0', '1 INFO', 'Signal=1'),
    request('OPTIONS', peer.port),
    request('INVITE', peer.port),
  ];
  for (let round = 0; round < 100; round++) {
    for (const seed of seeds) {
      const octets = Buffer.from(seed, 'latin1');
      for (let change = 0; change < 4; change++) octets[randomInt(octets.length)] = randomInt(256);
      peer.send(octets.toString('latin1'), port);
    }
    const length = peer.heard.length;
    peer.send(request('OPTIONS', peer.port, { callId: `round-${round}` }), port);
    await until(() => peer.heard.slice(length).some((text) => text.includes(`round-${round}\r`)), {
      what: 'the answer',
    });
  }
  ringing.call.hangUp();
  await endpoint.close(0);
  expect(ringing.events.filter(({ kind }) => kind === 'ended')).toHaveLength(1);
});
