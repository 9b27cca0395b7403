// Calls by way of Kamailio, an operator's proxy: it asks for credentials and checks them, stays in the route by Record-Route, and reaches
// the phone by another transport than ours.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'vitest';
import { type CallEvent, Endpoint, type TransportName, writeOffer } from '../../../src/sip/index.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { startBaresip } from './support/baresip.ts';
import { credentials, type KamailioOptions, startDeployedKamailio, startKamailio } from './support/kamailio.ts';

const tools = ['kamailio', 'baresip'];
const test = requireTool(...tools);
const NUMBER = '+213555000001';
const hasTools = tools.every((tool) => toolPath(tool));
const phone = hasTools ? await startBaresip({ numbers: [NUMBER] }) : null;
/** At an address that is neither this machine's own nor that of the callers. */
const operator = hasTools ? await startBaresip({ numbers: [NUMBER], address: '127.0.0.4' }) : null;

const ways: [TransportName, KamailioOptions['callee']['transport'], 'MD5' | 'SHA-256'][] = [
  ['udp', 'udp', 'MD5'],
  ['udp', 'tcp', 'SHA-256'],
  ['tcp', 'udp', 'SHA-256'],
];

let established = 0;

for (const [transport, calleeTransport, algorithm] of ways) {
  test(`${transport} to the proxy, ${calleeTransport} to the phone, ${algorithm}`, async () => {
    const callee = { port: phone!.ports[calleeTransport], transport: calleeTransport };
    const kamailio = await startKamailio({ callee, algorithm });
    const endpoint = new Endpoint({
      trunk: { host: '127.0.0.1', port: kamailio.port },
      transport,
      domain: 'trunk.example',
    });
    await endpoint.open();
    const place = (name: string, password: string) => {
      const events: CallEvent[] = [];
      const offer = (address: string) => writeOffer({ address, port: 40_000, sessionId: '1', version: 1 });
      const callId = `${name}-${transport}-${calleeTransport}@test`;
      const from = { user: '021000000' };
      const known = { ...credentials, password };
      const call = endpoint.call({ callId, to: NUMBER, from, offer, credentials: known, ringForMs: 20_000 }, (event) =>
        events.push(event),
      );
      const event = (kind: CallEvent['kind']) =>
        until(() => events.find((each) => each.kind === kind), { what: `${kind} of ${callId}` });
      return { call, event };
    };

    const refused = place('wrong', 'guess');
    expect(await refused.event('ended')).toMatchObject({ how: 'refused', status: 407 });

    const ours = place('ours', credentials.password);
    await ours.event('answered');
    // The ACK found its way through the proxy, or the phone would not count the call as established.
    await phone!.event('CALL_ESTABLISHED', ++established);
    ours.call.hangUp();
    expect(await ours.event('ended')).toMatchObject({ how: 'completed' });
    await phone!.event('CALL_CLOSED', established);

    const theirs = place('theirs', credentials.password);
    await theirs.event('answered');
    await phone!.event('CALL_ESTABLISHED', ++established);
    await phone!.hangUp();
    expect(await theirs.event('ended')).toMatchObject({ how: 'hung_up' });
    await phone!.event('CALL_CLOSED', established);

    await endpoint.close(1_000);
    await kamailio.stop();
  });
}

/**
 * A NAT's public address: what the operator sends there goes to Kamailio, and back. What comes from the inside is turned round by few NATs,
 * and not by this one.
 */
async function startNat(publicAddress: string, inside: string, port: number) {
  const socket = createSocket('udp4').bind(port, publicAddress);
  await once(socket, 'listening');
  const outside = { address: operator!.address, port: operator!.ports.udp };
  let turned = 0;
  socket.on('message', (datagram, from) => {
    if (from.address === outside.address) socket.send(datagram, port, inside);
    else if (from.address === inside && from.port === port) socket.send(datagram, outside.port, outside.address);
    else turned += 1;
  });
  return { turned: () => turned, close: () => socket.close() };
}

// The second is as on a machine with an address of its own: what is sent to that address comes from it. The third is behind NAT.
const places = [
  { host: '127.0.0.1', callersAt: '127.0.0.1' },
  { host: '127.0.0.2', callersAt: '127.0.0.2' },
  { host: '127.0.0.2', callersAt: '127.0.0.1', publicAddress: '127.0.0.6' },
];
let establishedThere = 0;

for (const { host, callersAt, publicAddress } of places) {
  const at = publicAddress === undefined ? host : `${host} behind ${publicAddress}`;
  test(`the configuration of deploy/kamailio at ${at}: two callers behind it`, async () => {
    const { address, ports } = operator!;
    const kamailio = await startDeployedKamailio({ host, operator: { address, port: ports.udp }, publicAddress });
    const nat = publicAddress === undefined ? null : await startNat(publicAddress, host, kamailio.port);
    const trunk = { host: callersAt, port: kamailio.port };
    const local = { host: callersAt, port: 0 };
    const callers = [1, 2].map(() => new Endpoint({ trunk, transport: 'udp', domain: 'trunk.example', local }));
    for (const [index, endpoint] of callers.entries()) {
      await endpoint.open();
      expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
      const events: CallEvent[] = [];
      const offer = (address: string) => writeOffer({ address, port: 40_000, sessionId: '1', version: 1 });
      const asked = { to: NUMBER, from: { user: '021000000' }, offer, credentials: null, ringForMs: 20_000 };
      const call = endpoint.call({ ...asked, callId: `deployed-${index}-${at.replaceAll(' ', '-')}@test` }, (event) =>
        events.push(event),
      );
      const event = (kind: CallEvent['kind']) => until(() => events.find((each) => each.kind === kind), { what: kind });
      await event('answered');
      await operator!.event('CALL_ESTABLISHED', ++establishedThere);
      const isTheirs = index === 1;
      if (isTheirs) await operator!.hangUp();
      else call.hangUp();
      expect(await event('ended')).toMatchObject({ how: isTheirs ? 'hung_up' : 'completed' });
      await operator!.event('CALL_CLOSED', establishedThere);
    }
    for (const endpoint of callers) await endpoint.close(1_000);
    nat?.close();
    expect(nat?.turned() ?? 0).toBe(0);
    await kamailio.stop();
  });
}

async function bound(address: string) {
  const socket = createSocket('udp4').bind(0, address);
  await once(socket, 'listening');
  const heard: string[] = [];
  socket.on('message', (datagram) => heard.push(datagram.toString('latin1').split(' ', 1)[0] ?? ''));
  return { socket, heard, port: socket.address().port };
}

test('the configuration of deploy/kamailio sends nobody else on, whatever call the stranger says it is in', async () => {
  const [host, address] = ['127.0.0.2', operator!.address];
  const kamailio = await startDeployedKamailio({ host, operator: { address, port: operator!.ports.udp } });
  const [target, stranger, peer] = [await bound('127.0.0.1'), await bound('127.0.0.3'), await bound(address)];
  const ask = ({ socket, port }: typeof peer, method: string) => {
    const from = `${socket.address().address}:${port}`;
    const request = [
      `${method} sip:+213900000000@127.0.0.1:${target.port} SIP/2.0`,
      `Via: SIP/2.0/UDP ${from};branch=z9hG4bK${method}${port}`,
      `Route: <sip:${host}:${kamailio.port};lr>`,
      'Max-Forwards: 70',
      `From: <sip:021000000@${from}>;tag=a`,
      'To: <sip:+213900000000@trunk.example>;tag=made-up',
      `Call-ID: ${method}-${port}@test`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:021000000@${from}>`,
      'Content-Length: 0',
      '\r\n',
    ].join('\r\n');
    socket.send(request, kamailio.port, host);
  };
  for (const method of ['INVITE', 'BYE', 'ACK']) ask(stranger, method);
  // What comes from the operator goes on, after all that came before.
  for (const method of ['INFO', 'OPTIONS']) {
    ask(peer, method);
    await until(() => target.heard.includes(method), { what: `${method} behind Kamailio` });
  }
  expect(new Set(target.heard)).toEqual(new Set(['INFO', 'OPTIONS']));
  expect(stranger.heard).toEqual([]);
  for (const { socket } of [target, stranger, peer]) socket.close();
  await kamailio.stop();
});
