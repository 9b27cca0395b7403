// Where messages go: answers by the Via of the request, requests by Route and request URI, and neither into a network that a trunk
// behind NAT believes to be in.
import { expect, test } from 'vitest';
import { header, values } from '../../../src/sip/headers.ts';
import { answerTarget, isWithinReach, markReceived, nextHop } from '../../../src/sip/hop.ts';
import { parseMessage, type SipMessage } from '../../../src/sip/message.ts';

function message(startLine: string, ...headers: string[]): SipMessage {
  const parsed = parseMessage(Buffer.from([startLine, ...headers, '', ''].join('\r\n')));
  if (parsed === null) throw new Error('unreadable');
  return parsed;
}

const bye = (...headers: string[]) => message('BYE sip:ramz@192.0.2.9 SIP/2.0', ...headers);

test.each([
  ['SIP/2.0/UDP 192.0.2.1:5070;branch=z9', '', '192.0.2.1', 5070],
  ['SIP/2.0/UDP 192.0.2.1;branch=z9', '', '192.0.2.1', 5060],
  ['SIP/2.0/UDP 10.0.0.1:5070;branch=z9', ';received=192.0.2.1', '192.0.2.1', 5070],
  ['SIP/2.0/UDP 10.0.0.1:5070;rport;branch=z9', ';received=192.0.2.1;rport=4321', '192.0.2.1', 4321],
  ['SIP/2.0/UDP host.example;rport;branch=z9', ';received=192.0.2.1;rport=4321', '192.0.2.1', 4321],
  // What is forged there does not lead the answer elsewhere.
  ['SIP/2.0/UDP 10.0.0.1;received=198.51.100.1;rport=9', ';received=192.0.2.1;rport=4321', '192.0.2.1', 4321],
  ['SIP/2.0/UDP evil.example;received="a;b";branch=z9;x="1;rport=2"', ';received=192.0.2.1', '192.0.2.1', 5060],
  ['SIP/2.0/UDP 192.0.2.1 ; rport ; received = 198.51.100.1', ';rport=4321', '192.0.2.1', 4321],
])('the answer to a request with Via %s goes back to where it came from', (via, added, address, port) => {
  const marked = markReceived(bye(`Via: ${via}, SIP/2.0/UDP far.example`, 'Via: SIP/2.0/TCP farther.example'), {
    address: '192.0.2.1',
    port: 4321,
  });
  expect(header(marked, 'via').endsWith(added)).toBe(true);
  expect(values(marked, 'via').slice(1)).toEqual(['SIP/2.0/UDP far.example', 'SIP/2.0/TCP farther.example']);
  expect(answerTarget(marked, 5060)).toEqual({ address, port });
});

test.each(['Via: nonsense', 'Via: SIP/2.0/UDP 192.0.2.1:0;branch=z9'])('%s gets no answer', (via) => {
  const unreadable = bye(via);
  expect(markReceived(unreadable, { address: '192.0.2.1', port: 1 })).toBe(unreadable);
  expect(answerTarget(unreadable, 5060)).toBeNull();
});

const ack = (uri: string, ...routes: string[]) =>
  message(`ACK ${uri} SIP/2.0`, ...routes.map((route) => `Route: ${route}`));

test.each([
  [ack('sip:a@192.0.2.1:5070'), '192.0.2.1', 5070],
  [ack('sip:a@callee.example;transport=tcp'), 'callee.example', null],
  [ack('sip:a@192.0.2.1', '<sip:192.0.2.5;lr>, <sip:192.0.2.6;lr>'), '192.0.2.5', null],
  // A strict router has put itself into the request URI.
  [ack('sip:192.0.2.7', '<sip:192.0.2.6>', '<sip:a@192.0.2.1>'), '192.0.2.7', null],
  [ack('sip:a@192.0.2.1;maddr=192.0.2.8'), '192.0.2.8', null],
  [ack('sip:a@[2001:db8::1]:5070'), '2001:db8::1', 5070],
])('the next hop of a request', (request, host, port) => {
  expect(nextHop(request)).toEqual({ host, port });
});

test('a request URI without a host leads nowhere', () => {
  expect(nextHop(ack('tel:+213555000001'))).toBeNull();
});

test.each([
  ['198.51.100.1', '192.0.2.1', true],
  ['10.0.0.1', '192.0.2.1', false],
  ['172.16.0.1', '192.0.2.1', false],
  ['172.32.0.1', '192.0.2.1', true],
  ['192.168.1.1', '192.0.2.1', false],
  ['100.64.0.1', '192.0.2.1', false],
  ['169.254.0.1', '192.0.2.1', false],
  ['10.0.0.1', '10.9.9.9', true],
  ['127.0.0.1', '10.9.9.9', false],
  ['127.0.0.1', '127.0.0.1', true],
  ['10.0.0.1', '127.0.0.1', true],
  ['0.0.0.0', '127.0.0.1', false],
  ['224.0.0.1', '192.0.2.1', false],
  ['fd00::1', '2001:db8::1', false],
  ['fe80::1', 'fd00::2', true],
  ['::1', '::1', true],
  ['2001:db8::2', '10.0.0.1', true],
  ['no address', '10.0.0.1', false],
])('%s named by a trunk at %s: %s', (address, trunk, within) => {
  expect(isWithinReach(address, trunk)).toBe(within);
});
