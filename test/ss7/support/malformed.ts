// Malformed messages of M3UA, SCCP, TCAP and MAP: mutations of good ones. Those of `broken` leave no way to find the next message in a stream; all others keep
// the length of their frame right, so that what is inside reaches the gateway.
import { mutate } from '../../fuzz/mutate.ts';
import type { Random } from '../../fuzz/random.ts';
import { is, type Message, message, tags, take, uint32 } from './m3ua.ts';
import { about } from './signalling-gateway.ts';

const longest = 4_000;
const headerLength = 8;
/** Protocol data begins with point codes, service indicator and so on. */
const labelLength = 12;

/** Lengths and tags at which readers of ASN.1 break (ITU-T X.690 8.1), those of TCAP (Q.773), and of M3UA's parameters. */
const dictionary = [
  ...['847fffffff', '84ffffffff', '8480000000', '827fff', '80', '0000', 'ff', '1f8001', '3080'],
  ...[
    '61',
    '62',
    '64',
    '65',
    '67',
    '6b',
    '6c',
    'a1',
    'a2',
    'a3',
    'a4',
    '020100',
    '0201ff',
    '060704000001001403',
    '4804ffffffff',
  ],
  ...['0210ffff', '02100004', '02100000', '00060008', '0012', '000d0008'],
].map((hex) => Buffer.from(hex, 'hex'));

/** What a peer says that is no DATA. */
const control: readonly Buffer[] = [
  message('aspUpAck'),
  message('aspActiveAck', { trafficMode: uint32(2), routingContext: uint32(101) }),
  message('notify', { status: Buffer.from([0, 1, 0, 3]), routingContext: uint32(101) }),
  message('error', { errorCode: uint32(7) }),
  message('aspInactiveAck', { routingContext: uint32(101) }),
  about('dava', 2),
  about('scon', 2, { congestion: uint32(1) }),
  about('dupu', 9, { userCause: Buffer.from([0, 0, 0, 3]) }),
  about('duna', 9),
];

const framed = (klass: number, type: number, body: Buffer): Buffer => {
  const cut = body.subarray(0, longest);
  return Buffer.concat([Buffer.from([1, 0, klass, type]), uint32(headerLength + cut.length), cut]);
};

/** The octets of TCAP's transaction ids as the stack writes them: tag, four octets (ITU-T Q.773 4.2.1). */
const transactionIds: readonly Buffer[] = [Buffer.from([0x48, 4]), Buffer.from([0x49, 4])];
/** First octet of ids that no transaction has: the stack counts from 1. */
const nobodys = 0x7f;

/** The same DATA, about transactions that never were: mutations of it leave those alone that are under way. */
export function stray(good: Buffer): Buffer {
  const octets = Buffer.from(good);
  for (const tag of transactionIds)
    for (let at = octets.indexOf(tag); at >= 0 && at + 2 < octets.length; at = octets.indexOf(tag, at + 2))
      octets[at + 2] = nobodys;
  return octets;
}

/** DATA with something wrong in SCCP, TCAP or MAP. */
export function tampered(random: Random, one: Buffer, good: readonly Buffer[]): Buffer {
  const body = protocolDataOf(one);
  const others = good.map(sccpOf);
  const sccp = mutate(body.subarray(labelLength), random, { dictionary, others }).subarray(0, longest - 100);
  const protocolData = Buffer.concat([body.subarray(0, labelLength), sccp]);
  return message('data', { routingContext: uint32(101), protocolData });
}

/** DATA with something wrong anywhere behind its header. */
export function malformedData(random: Random, good: readonly Buffer[]): Buffer {
  const one = random.pick(good);
  if (random.chance(0.8)) return tampered(random, one, good);
  const body = mutate(one.subarray(headerLength), random, { dictionary, others: good });
  return framed(one.readUInt8(2), one.readUInt8(3), body);
}

/** Anything but DATA: it may take away point codes, associations and all that is known of them. */
export function malformedManagement(random: Random, good: readonly Buffer[]): Buffer {
  const isKnown = random.chance(0.8);
  const one = random.pick(isKnown ? control : good);
  const [klass, type] = isKnown ? [one.readUInt8(2), one.readUInt8(3)] : [random.below(256), random.below(256)];
  return framed(klass, type, mutate(one.subarray(headerLength), random, { dictionary, others: good }));
}

/** A header of another version, or with a length that no message has. */
export function broken(random: Random, good: readonly Buffer[]): Buffer {
  const octets = Buffer.from(random.pick(good));
  if (random.chance(0.3)) octets.writeUInt8(random.pick([0, 2, 255]), 0);
  else octets.writeUInt32BE(random.pick([0, 1, 7, 0x2001, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]), 4);
  return octets;
}

function protocolDataOf(octets: Buffer): Buffer {
  const [one] = take(octets).messages as [Message];
  if (!is(one, 'data')) throw new Error('no DATA');
  return one.parameters.get(tags.protocolData)!;
}

const sccpOf = (octets: Buffer): Buffer => protocolDataOf(octets).subarray(labelLength);
