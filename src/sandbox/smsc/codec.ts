// The SMSC's codec: npm `smpp`, used for frames and PDUs only. Framing and the connection are in link.ts, because the package's own
// session stops reading after one bad PDU, never sets TCP_NODELAY, and holds callbacks of connections long gone.

import smpp, { type Pdu } from 'smpp';

export type { Pdu } from 'smpp';

/** SMPP v3.4 section 5.1.3: the command_status values the sandbox answers with. */
export const status = {
  ok: 0x00,
  invalidMessageLength: 0x01,
  invalidCommandId: 0x03,
  incorrectBindStatus: 0x04,
  alreadyBound: 0x05,
  systemError: 0x08,
  invalidSource: 0x0a,
  invalidDestination: 0x0b,
  invalidMessageId: 0x0c,
  bindFailed: 0x0d,
  invalidPassword: 0x0e,
  cancelFailed: 0x11,
  queueFull: 0x14,
  submitFailed: 0x45,
  throttled: 0x58,
  invalidExpiry: 0x62,
  queryFailed: 0x67,
  unknownError: 0xff,
} as const;

/** The tag under which `encode` takes the price of a message: 0x1400, the first one left to vendors. */
export const COST_TLV = 0x1400;
smpp.addTLV('sandbox_cost', { id: COST_TLV, type: smpp.types.tlv.string });

// The package's reading of these three fields is wrong for an SMSC: relative times become local dates (and a short one throws), and
// octets become text under one alphabet whatever the SMSC's own is. The raw values are kept, and submit.ts reads them.
for (const field of ['schedule_delivery_time', 'validity_period', 'short_message']) {
  const declared = smpp.commands.submit_sm?.params[field];
  if (declared?.filter) declared.filter = { encode: declared.filter.encode, decode: (value) => value };
}

export type Decoded = { kind: 'pdu'; pdu: Pdu } | { kind: 'malformed'; commandId: number; sequence: number };

/** Reads one whole frame (command_length octets). The package throws on a PDU it cannot read; here that is a value. */
export function decode(frame: Buffer): Decoded {
  try {
    return { kind: 'pdu', pdu: new smpp.PDU(frame) };
  } catch {
    return { kind: 'malformed', commandId: frame.readUInt32BE(4), sequence: frame.readUInt32BE(12) };
  }
}

/** One PDU in octets. With a command_status other than 0 the body is left out, as SMPP v3.4 section 4.4.2 has it. */
export function encode(command: string, fields: Record<string, unknown>): Buffer {
  return new smpp.PDU(command, fields).toBuffer();
}
