// The SS7 gateway (gateways/ss7) between an SMPP client of other people's making and its simulated network: every outcome that MAP knows
// comes back as a receipt, what phones show is what was sent, and Wireshark reads what passed on the association.
import { afterAll, beforeAll, expect } from 'vitest';
import { gsm7BasicCodes, gsm7Escape, gsm7ExtensionTable } from '../../src/text/gsm7-alphabet.ts';
import { requireTool } from '../support/tool.ts';
import { dissect } from './support/dissect.ts';
import { isMissing, ss7Test as test } from './support/programs.ts';
import { SmppClient } from './support/smpp-client.ts';
import { ss7World } from './support/world.ts';

/** Last two digits of a number → what its phone, or the network before it, makes of a message. */
const outcomes: Readonly<Record<string, string>> = {
  '00': 'DELIVRD 000',
  '01': 'UNDELIV 060',
  '02': 'UNDELIV 061',
  '03': 'UNDELIV 320',
  '04': 'UNDELIV 131',
  '05': 'UNDELIV 001',
  '06': 'UNDELIV 005',
  '07': 'UNDELIV 009',
  '08': 'REJECTD 021',
  '09': 'UNDELIV 034',
  '10': 'UNKNOWN 900',
  '12': 'DELIVRD 000',
  '13': 'UNKNOWN 901',
};

const world = await ss7World();
let client: SmppClient;

beforeAll(async () => {
  if (world !== null) client = await SmppClient.to(world.gateway().smppPort);
});

afterAll(() => client?.close());

const shown = (to: string) => world!.events('shown', to).map(({ from, text }) => ({ from, text }));

test('each outcome is said by its receipt', async () => {
  for (const ending of Object.keys(outcomes)) {
    expect(await client.submit(`2135512345${ending}`, { short_message: `Your code is 123456, ${ending}` })).toBe(0);
  }
  const expected = Object.entries(outcomes).map(([ending, outcome]) => `${ending} ${outcome}`);
  expect((await client.receipt(expected.length)).toSorted()).toEqual(expected.toSorted());
  expect(shown('213551234500')).toEqual([{ from: 'Ramz', text: 'Your code is 123456, 00' }]);
});

test('a phone that comes back is said to, and gets its message', async () => {
  await client.submit('213551234511', { short_message: 'Your code is 654321' });
  expect(await client.receipt(3)).toEqual(['11 UNDELIV 060', '11 ENROUTE 910', '11 DELIVRD 000']);
  expect(shown('213551234511')).toEqual([{ from: 'Ramz', text: 'Your code is 654321' }]);
});

test('a phone that is not back when the validity of its message ends: the message is expired', async () => {
  const to = '213551234601';
  await client.submit(to, { short_message: 'Your code is 2', validity_period: '000000000005000R' });
  expect(await client.receipt(2)).toEqual(['01 UNDELIV 060', '01 EXPIRED 060']);
  expect(world!.events('forward', to)).toHaveLength(1);
});

test('a message whose validity is over before it begins is expired', async () => {
  const to = '213551234620';
  await client.submit(to, { short_message: 'Your code is 4', validity_period: '200101000000000+' });
  expect(await client.receipt()).toEqual(['20 EXPIRED 904']);
  expect(world!.events('routing', to)).toEqual([]);
});

test('every letter of the GSM alphabet, Latin-1 and Arabic arrive as they were written, a long text in parts', async () => {
  const basic = [...gsm7BasicCodes.values()];
  const escaped = gsm7ExtensionTable.flatMap(([code]) => [gsm7Escape, code]);
  await client.submit('213551234570', { data_coding: 0, short_message: Buffer.from([...basic, ...escaped]) });
  await client.submit('213551234571', { data_coding: 3, short_message: Buffer.from('Vérifié, ça va', 'latin1') });
  await client.submit('213551234572', { data_coding: 8, short_message: 'رمزك هو 123456' });
  await client.submit('213551234573', { message_payload: 'a long text '.repeat(20) });
  expect((await client.receipt(4)).toSorted()).toEqual(
    ['70', '71', '72', '73'].map((ending) => `${ending} DELIVRD 000`),
  );
  const alphabet = [...gsm7BasicCodes.keys(), ...gsm7ExtensionTable.map(([, letter]) => letter)].join('');
  expect(shown('213551234570')[0]?.text).toBe(alphabet);
  expect(shown('213551234571')[0]?.text).toBe('Vérifié, ça va');
  expect(shown('213551234572')[0]?.text).toBe('رمزك هو 123456');
  const parts = shown('213551234573').map(({ text }) => text);
  expect(parts).toHaveLength(2);
  expect(parts.join('')).toBe('a long text '.repeat(20));
});

// Of all that the tests before it have sent.
const inWireshark = isMissing ? test : requireTool('tshark', 'text2pcap');

inWireshark('Wireshark reads M3UA, SCCP, TCAP and MAP in it, and nothing is malformed', async () => {
  const [wire] = world!.wires;
  const read = await dissect(wire!.passed);
  expect(read).toHaveLength(wire!.passed.length);
  expect(read.filter(({ wrong }) => wrong !== '')).toEqual([]);
  const [management, traffic] = [true, false].map((is) =>
    read.filter(({ protocols }) => (protocols === 'm3ua') === is),
  );
  expect(management!.map(({ info }) => info)).toEqual(['ASPUP', 'ASPUP_ACK', 'ASPAC', 'ASPAC_ACK']);
  expect(traffic!.filter(({ protocols }) => !protocols.startsWith('m3ua:sccp:tcap:gsm_map'))).toEqual([]);
  const texts = traffic!.filter(({ info }) => info.startsWith('invoke mt-forwardSM'));
  expect(texts.map(({ protocols }) => protocols)).toEqual(texts.map(() => 'm3ua:sccp:tcap:gsm_map:gsm_sms'));
  expect(texts.map(({ info }) => info)).toContain('invoke mt-forwardSM  (Short Message Reassembled)');
  const said = new Set(traffic!.map(({ from, info }) => `${from}: ${info.replace(/ *\(.*/, '')}`));
  expect([...said].toSorted()).toEqual([
    'gateway: invoke mt-forwardSM',
    'gateway: invoke reportSM-DeliveryStatus',
    'gateway: invoke sendRoutingInfoForSM',
    'gateway: returnResultLast',
    'network: Abort dtid',
    'network: invoke alertServiceCentre',
    'network: returnError',
    'network: returnResultLast',
    'network: returnResultLast reportSM-DeliveryStatus',
    'network: returnResultLast sendRoutingInfoForSM',
  ]);
});

inWireshark('it does notice: an MT-ForwardSM that is cut off is malformed', async () => {
  const [wire] = world!.wires;
  const whole = wire!.passed.findLast(({ from, frame }) => from === 'gateway' && frame.length > 150)!;
  const cut = Buffer.from(whole.frame.subarray(0, whole.frame.length - 24));
  // The lengths of M3UA say that it is whole: of the message, and of the protocol data in it.
  const data = cut.indexOf(Buffer.from([0x02, 0x10]));
  cut.writeUInt32BE(cut.length, 4);
  cut.writeUInt16BE(cut.length - data, data + 2);
  const [read] = await dissect([{ from: 'gateway', frame: cut }]);
  expect(read?.wrong).not.toBe('');
});
