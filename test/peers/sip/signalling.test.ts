// Calls to baresip: it answers, and either side hangs up; over UDP, TCP and TLS.
import { createSocket } from 'node:dgram';
import { statSync } from 'node:fs';
import { expect } from 'vitest';
import { type CallEvent, Endpoint, parseAnswer, type TransportName, writeOffer } from '../../../src/sip/index.ts';
import { selfSigned } from '../../support/certificate.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { startBaresip } from './support/baresip.ts';

const test = requireTool('baresip');
const NUMBER = '+213555000001';
const certificate = selfSigned();
const phone = toolPath('baresip') ? await startBaresip({ numbers: [NUMBER], certificate }) : null;

function placeCall(endpoint: Endpoint, callId: string, ringForMs = 20_000, port = 40_000) {
  const events: CallEvent[] = [];
  const offer = (address: string) => writeOffer({ address, port, sessionId: '1', version: 1 });
  const call = endpoint.call(
    { callId, to: NUMBER, from: { user: '021000000' }, offer, credentials: null, ringForMs },
    (event) => events.push(event),
  );
  const event = (kind: CallEvent['kind']) =>
    until(() => events.find((each) => each.kind === kind), { what: kind }).catch((error) => {
      throw new Error(`${error.message}; there was ${JSON.stringify(events)}`);
    });
  return { call, events, event };
}

const hesitant = toolPath('baresip') ? await startBaresip({ numbers: [NUMBER], answers: 'manual' }) : null;

/** Each test waits for its own calls. */
let calls = 0;

for (const transport of ['udp', 'tcp', 'tls'] as const satisfies TransportName[]) {
  test(`over ${transport}, a call is answered, and either side hangs up`, async () => {
    if (phone === null) return;
    const trunk = { host: phone.address, port: phone.ports[transport] };
    const endpoint = new Endpoint({ trunk, transport, tls: { ca: certificate.cert } });
    expect(await endpoint.open()).toEqual({ kind: 'open' });
    expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });

    const ours = placeCall(endpoint, `ours-${transport}@test`);
    const answered = await ours.event('answered');
    expect(answered.kind === 'answered' && parseAnswer(answered.sdp)).toMatchObject({
      kind: 'ok',
      answer: { address: '127.0.0.1', codec: 'PCMA', eventType: 101, held: false },
    });
    await phone.event('CALL_ESTABLISHED', ++calls);
    ours.call.hangUp();
    expect(await ours.event('ended')).toMatchObject({ how: 'completed' });
    await phone.event('CALL_CLOSED', calls);

    const theirs = placeCall(endpoint, `theirs-${transport}@test`);
    await theirs.event('answered');
    await phone.event('CALL_ESTABLISHED', ++calls);
    await phone.hangUp();
    expect(await theirs.event('ended')).toMatchObject({ how: 'hung_up' });
    await phone.event('CALL_CLOSED', calls);

    await endpoint.close(1_000);
    expect(endpoint.dropped).toBe(0);
  });
}

test('a phone rings until it is answered, rejects the call, or we give up', async () => {
  if (hesitant === null) return;
  const endpoint = new Endpoint({ trunk: { host: hesitant.address, port: hesitant.ports.udp }, transport: 'udp' });
  await endpoint.open();

  const answered = placeCall(endpoint, 'answered@test');
  expect(await answered.event('provisional')).toMatchObject({ status: 180 });
  await hesitant.answer();
  await answered.event('answered');
  answered.call.hangUp();
  await answered.event('ended');

  const rejected = placeCall(endpoint, 'rejected@test');
  await rejected.event('provisional');
  await hesitant.hangUp();
  expect(await rejected.event('ended')).toMatchObject({ how: 'refused', status: 486 });

  const canceled = placeCall(endpoint, 'canceled@test');
  await canceled.event('provisional');
  canceled.call.hangUp();
  expect(await canceled.event('ended')).toMatchObject({ how: 'canceled', status: 487 });

  const tooLong = placeCall(endpoint, 'too-long@test', 1_500);
  await tooLong.event('provisional');
  expect(await tooLong.event('ended')).toMatchObject({ how: 'ring_time_up' });
  await hesitant.event('CALL_CLOSED', 4);
  await endpoint.close(1_000);
});

test('the phone presses keys, and records what it hears', async () => {
  if (phone === null) return;
  const rtp = createSocket('udp4');
  await new Promise<void>((resolve) => rtp.bind(0, '127.0.0.1', resolve));
  /** RFC 4733: the key of each telephone-event. */
  const keys = new Set<number>();
  rtp.on('message', (packet) => {
    if (((packet[1] ?? 0) & 0x7f) === 101) keys.add(packet[12] ?? -1);
  });
  const endpoint = new Endpoint({ trunk: { host: phone.address, port: phone.ports.udp }, transport: 'udp' });
  await endpoint.open();
  const { call, event } = placeCall(endpoint, 'keys@test', 20_000, rtp.address().port);
  const answered = await event('answered');
  const parsed = answered.kind === 'answered' ? parseAnswer(answered.sdp) : null;
  if (parsed?.kind !== 'ok') throw new Error('no audio');
  const { address, port } = parsed.answer;
  const packet = Buffer.alloc(172, 0xd5);
  let sent = 0;
  const sending = setInterval(() => {
    sent += 1;
    packet.writeUInt16BE(0x8008, 0);
    packet.writeUInt16BE(sent, 2);
    packet.writeUInt32BE(sent * 160, 4);
    rtp.send(packet, port, address);
  }, 20);
  await phone.event('CALL_ESTABLISHED', ++calls);
  await phone.press('4#');
  await until(() => keys.has(4) && keys.has(11) && sent > 25, { what: 'both keys' });
  clearInterval(sending);
  call.hangUp();
  await event('ended');
  await phone.event('CALL_CLOSED', calls);
  const [file = ''] = phone.heard().slice(-1);
  // Its jitter buffer drops some of the first packets.
  await until(() => statSync(file).size > 10 * 320, { what: 'what it heard to be recorded' });
  await endpoint.close(1_000);
  rtp.close();
});
