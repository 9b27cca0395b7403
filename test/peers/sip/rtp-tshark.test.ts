// Wireshark's dissector reads what the media thread sends: no RTP and no RTCP packet is malformed, and the fields are what was meant.
import { expect } from 'vitest';
import { Media } from '../../../src/channels/voice/media/media.ts';
import { Phone, somePorts, syntheticBank } from '../../support/rtp-phone.ts';
import { requireTool } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { dissectDatagrams } from './support/dissect-datagrams.ts';

const test = requireTool('tshark', 'text2pcap');

const [rtpPort, rtcpPort] = [40_000, 40_001];
const fields = [
  '_ws.malformed',
  'rtp.p_type',
  'rtp.seq',
  'rtp.timestamp',
  'rtp.ssrc',
  'rtp.marker',
  'rtcp.pt',
  'rtcp.length_check',
];
const [malformed, type, sequence, timestamp, ssrc, marker, rtcpTypes, lengthCheck] = fields.keys();

const dissect = (datagrams: readonly Buffer[], port: number) =>
  dissectDatagrams(datagrams, { port, dissector: port === rtpPort ? 'rtp' : 'rtcp', fields });

test('a call with sound both ways, its reports and its end', async () => {
  const media = new Media({
    address: '127.0.0.1',
    ports: somePorts(50),
    banks: new Map([['ar', syntheticBank()]]),
    onEvent: () => {},
    onThreadLost: () => {},
  });
  const phone = await Phone.start();
  try {
    const opened = await until(() => media.open('call', 'ar'), { what: 'a port' });
    media.connect('call', phone.target());
    media.say('call', [{ clip: 'intro' }, { silenceMs: 300 }, { clip: '7' }], 1);
    await phone.hears(5);
    // A report, with a block for what the phone sends.
    const speak = setInterval(() => phone.send(opened.port), 20);
    await until(() => phone.reports.length > 0, { what: 'the first report' }).finally(() => clearInterval(speak));
    await phone.hears(2);
    media.close('call');
    await until(() => phone.reports.length > 1, { what: 'the goodbye' });

    const heard = await dissect(
      phone.heard.map(({ octets }) => octets),
      rtpPort,
    );
    expect(heard).toHaveLength(phone.heard.length);
    const [first] = phone.heard;
    for (const [index, packet] of heard.entries()) {
      const { sequence: number, timestamp: time } = phone.heard[index]!;
      expect(packet[malformed!]).toBe('');
      expect([packet[type!], packet[sequence!], packet[timestamp!]]).toEqual(['8', String(number), String(time)]);
      expect(Number(packet[ssrc!])).toBe(first!.ssrc);
    }
    expect(heard.map((packet) => packet[marker!] === '1' || packet[marker!] === 'True').indexOf(true)).toBe(0);

    const reports = await dissect(phone.reports, rtcpPort);
    expect(reports.map((report) => [report[malformed!], report[rtcpTypes!], report[lengthCheck!]])).toEqual([
      ['', '200,202', expect.stringMatching(/^(1|True)$/)],
      ['', '200,202,203', expect.stringMatching(/^(1|True)$/)],
    ]);
  } finally {
    phone.close();
    await media.stop();
  }
});

test('the dissector does notice: RTCP with a length that is not there', async () => {
  const cut = Buffer.from('80c8000cdeadbeef0000000000000000', 'hex');
  const [report] = await dissect([cut], rtcpPort);
  expect([report![malformed!] !== '', /^(0|False)$/.test(report![lengthCheck!]!)]).toContain(true);
});
