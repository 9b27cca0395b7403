// Wireshark's dissectors read what our SIP user agent sends in whole calls: nothing is malformed, and nothing is a protocol error to them.
import { afterAll, expect } from 'vitest';
import { type CallEvent, Endpoint, writeOffer } from '../../../src/sip/index.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { startBaresip } from './support/baresip.ts';
import { dissectDatagrams } from './support/dissect-datagrams.ts';
import { startLossyRelay } from './support/lossy-relay.ts';

const tools = ['tshark', 'text2pcap', 'baresip'];
const test = requireTool(...tools);
const NUMBER = '+213555000001';
const phones = tools.every((tool) => toolPath(tool))
  ? {
      answers: await startBaresip({ numbers: [NUMBER] }),
      rings: await startBaresip({ numbers: [NUMBER], answers: 'manual' }),
    }
  : null;
const fields = [
  '_ws.malformed',
  '_ws.expert.severity',
  '_ws.expert.message',
  'sip.Method',
  'sip.Status-Code',
  'sdp.media',
  'sdp.mime.type',
];
/** Severity of a protocol error. */
const error = 8_388_608;

const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

/** Everything that our side sent in one call, and in a ping; each datagram once, however often a slow phone made us repeat it. */
async function sentIn(phone: 'answers' | 'rings', hangUpAt: CallEvent['kind']): Promise<Buffer[]> {
  const relay = await startLossyRelay(phones![phone].ports.udp, []);
  const endpoint = new Endpoint({
    trunk: { host: '127.0.0.1', port: relay.port },
    transport: 'udp',
    domain: 'trunk.example',
  });
  closers.push(() => endpoint.close(100).then(() => relay.close()));
  await endpoint.open();
  await endpoint.ping(5_000);
  const events: CallEvent[] = [];
  const offer = (address: string) => writeOffer({ address, port: 40_000, sessionId: '1', version: 1 });
  const from = { user: '021000000', display: 'Ramz "codes"' };
  const asked = {
    callId: `${phone}@test`,
    to: NUMBER,
    from,
    identity: '021000000',
    offer,
    credentials: null,
    ringForMs: 20_000,
  };
  const call = endpoint.call(asked, (event) => {
    events.push(event);
    if (event.kind === hangUpAt) call.hangUp();
  });
  await until(() => events.some(({ kind }) => kind === 'ended'), { what: 'the end of the call' });
  const ours = () => {
    const sent = relay.passed.filter(({ fromCaller }) => fromCaller).map(({ octets }) => octets);
    return sent.filter((octets, at) => sent.findIndex((each) => each.equals(octets)) === at);
  };
  // The last ACK is on its way when the call is over to us.
  await until(() => ours().length === 4, { what: 'OPTIONS, INVITE and two more' });
  return ours();
}

test('nothing that our side sends is malformed', async () => {
  const sent = [...(await sentIn('answers', 'answered')), ...(await sentIn('rings', 'provisional'))];
  const read = await dissectDatagrams(sent, { port: 5060, dissector: 'sip', fields });
  expect(read.map(([, , , method]) => method)).toEqual([
    'OPTIONS',
    'INVITE',
    'ACK',
    'BYE',
    'OPTIONS',
    'INVITE',
    'CANCEL',
    'ACK',
  ]);
  expect(read.filter(([malformed]) => malformed !== '')).toEqual([]);
  const severities = read.flatMap(([, severity = '', message = '']) =>
    severity.split(',').map((each) => [Number(each), message] as const),
  );
  expect(severities.filter(([severity]) => severity >= error)).toEqual([]);
  expect(read.filter(([, , , method]) => method === 'INVITE').map(([, , , , , media]) => media)).toEqual([
    expect.stringContaining('RTP/AVP 8 0 101'),
    expect.stringContaining('RTP/AVP 8 0 101'),
  ]);
});

test('the dissector does notice: a session description that is cut off', async () => {
  const [, invite] = await sentIn('answers', 'answered');
  const broken = Buffer.from(invite!.toString('latin1').replace('m=audio', 'm='), 'latin1');
  const [[, , , , , media] = []] = await dissectDatagrams([broken], { port: 5060, dissector: 'sip', fields });
  expect(media).not.toContain('RTP/AVP 8 0 101');
});
