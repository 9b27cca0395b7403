// M3UA (RFC 4666) on TCP as octets: messages taken from a stream and made, and within DATA the little of SCCP (ITU-T Q.713) that a peer in a test says.

export interface Message {
  class: number;
  type: number;
  parameters: ReadonlyMap<number, Buffer>;
  octets: Buffer;
}

/** Class and type of messages, RFC 4666 3.1.2. */
export const kinds = {
  error: [0, 0],
  notify: [0, 1],
  data: [1, 1],
  duna: [2, 1],
  dava: [2, 2],
  scon: [2, 4],
  dupu: [2, 5],
  aspUp: [3, 1],
  aspDown: [3, 2],
  aspUpAck: [3, 4],
  aspDownAck: [3, 5],
  aspActive: [4, 1],
  aspInactive: [4, 2],
  aspActiveAck: [4, 3],
  aspInactiveAck: [4, 4],
} as const;
export type Kind = keyof typeof kinds;

/** Tags of parameters, RFC 4666 3.2. */
export const tags = {
  routingContext: 6,
  trafficMode: 11,
  errorCode: 12,
  status: 13,
  affectedPointCode: 18,
  userCause: 516,
  congestion: 517,
  protocolData: 528,
} as const;
type Tag = keyof typeof tags;

export const uint32 = (value: number) => {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return octets;
};

export function message(kind: Kind, parameters: Partial<Record<Tag, Buffer>> = {}): Buffer {
  const all = Object.entries(parameters).map(([tag, value]) => {
    const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
    padded.writeUInt16BE(tags[tag as Tag], 0);
    padded.writeUInt16BE(4 + value.length, 2);
    value.copy(padded, 4);
    return padded;
  });
  const body = Buffer.concat(all);
  const [klass, type] = kinds[kind];
  return Buffer.concat([Buffer.from([1, 0, klass, type]), uint32(8 + body.length), body]);
}

export const is = (one: Message, kind: Kind) => one.class === kinds[kind][0] && one.type === kinds[kind][1];

/** Takes the whole messages from the front of `octets`. */
export function take(octets: Buffer): { messages: Message[]; rest: Buffer } {
  const messages: Message[] = [];
  let rest = octets;
  while (rest.length >= 8 && rest.length >= rest.readUInt32BE(4)) {
    const one = rest.subarray(0, Math.max(8, rest.readUInt32BE(4)));
    rest = rest.subarray(one.length);
    messages.push({ class: one.readUInt8(2), type: one.readUInt8(3), parameters: parametersOf(one), octets: one });
  }
  return { messages, rest };
}

function parametersOf(octets: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 8; at + 4 <= octets.length; ) {
    const length = octets.readUInt16BE(at + 2);
    found.set(octets.readUInt16BE(at), octets.subarray(at + 4, at + length));
    at += Math.max(4, Math.ceil(length / 4) * 4);
  }
  return found;
}

/** DATA from one point code to another, with a message of SCCP. */
export function data(routingContext: number, [from, to]: readonly [number, number], sccp: Buffer): Buffer {
  const label = Buffer.concat([uint32(from), uint32(to), Buffer.from([3, 2, 0, 0])]);
  return message('data', { routingContext: uint32(routingContext), protocolData: Buffer.concat([label, sccp]) });
}

/** Subsystem allowed or prohibited, ITU-T Q.713 5.3, from SCCP's management to SCCP's management. */
export function subsystemStatus(status: 'allowed' | 'prohibited', pointCode: number, number: number): Buffer {
  const management = Buffer.from([2, 0x42, 1]);
  const text = Buffer.from([status === 'allowed' ? 1 : 2, number, pointCode & 0xff, pointCode >> 8, 0]);
  // UDT: pointers to the two addresses and the text, each counted from itself.
  return Buffer.concat([
    Buffer.from([9, 0, 3, 2 + management.length, 1 + 2 * management.length]),
    ...[management, management],
    Buffer.from([text.length]),
    text,
  ]);
}

/** Number of the subsystem that the SCCP message in a DATA message is for: Q.713 3.4, without a point code in the called party address. */
export function calledSubsystem(one: Message): number | undefined {
  const sccp = one.parameters.get(tags.protocolData)?.subarray(12);
  if (sccp === undefined) return undefined;
  // Where the pointer to the address is, counted from itself: UDT, or XUDT with its hop counter. Its length and indicator come first.
  const pointer = sccp[0] === 9 ? 2 : 3;
  return sccp[pointer + (sccp[pointer] ?? 0) + 2];
}

/** First octet of the TCAP message in a DATA message: 0x62 Begin, 0x64 End, 0x65 Continue, 0x67 Abort (ITU-T Q.773 4.1). */
export function tcapTag(octets: Buffer): number | undefined {
  const [one] = take(octets).messages;
  const sccp = one?.parameters.get(tags.protocolData)?.subarray(12);
  if (sccp === undefined) return undefined;
  // Where the pointer to the data is, counted from itself: UDT, or XUDT with its hop counter.
  const pointer = sccp[0] === 9 ? 4 : 5;
  return sccp[pointer + (sccp[pointer] ?? 0) + 1];
}
