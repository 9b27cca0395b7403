// The codec: PDUs to octets and back, driven by the field tables of pdu.ts. It handles one PDU at a time, since a stream that is cut
// wrong is another kind of fault, with another remedy (framing.ts).

import {
  type Command,
  commandIds,
  type Field,
  FieldError,
  fields,
  HEADER_OCTETS,
  isAnswerId,
  type Pdu,
  type PduInput,
} from './pdu.ts';
import { noTlvs, readTlvs, tlvsLength, writeTlvs } from './tlv.ts';

export type Decoded =
  /** `damage`: what could not be read behind a whole body; the parameters before it are there. */
  | { kind: 'pdu'; pdu: Pdu; damage?: string }
  /** A command this library does not speak; the specification's reply is generic_nack. */
  | { kind: 'unknown_command'; commandId: number; status: number; sequence: number }
  /** The header can be read, the rest cannot. Only requests: an answer always has its status. */
  | { kind: 'malformed'; command: Command; status: number; sequence: number; reason: string };

type Values = Record<string, unknown>;

const noOctets = Buffer.alloc(0);
/**
 * Requests that are read without the parameters that are cut off: some SMSCs end a short_message with a NUL that sm_length does not count, and
 * what the message says is whole.
 */
const readDamaged: ReadonlySet<Command> = new Set(['deliver_sm', 'data_sm']);
const commandOf = new Map<number, Command>(Object.entries(commandIds).map(([command, id]) => [id, command as Command]));

/** @throws FieldError naming the field, before anything is sent. */
export function encodePdu(pdu: PduInput): Buffer {
  const table: readonly Field[] = fields[pdu.command];
  const values = pdu as unknown as Values;
  const tlvs = pdu.tlvs ?? noTlvs;

  const frame = Buffer.allocUnsafe(HEADER_OCTETS + bodyLength(table, values) + tlvsLength(tlvs));
  writeUint32(frame, 0, frame.length);
  writeUint32(frame, 4, commandIds[pdu.command]);
  writeUint32(frame, 8, pdu.status ?? 0);
  writeUint32(frame, 12, pdu.sequence ?? 0);
  writeTlvs(tlvs, frame, writeBody(table, values, frame));
  return frame;
}

/** Checks every length, so that writing cannot overrun. Characters are checked while writing. */
function bodyLength(table: readonly Field[], values: Values): number {
  let length = 0;
  for (const field of table) {
    if (field.kind === 'uint8') {
      length += 1;
      continue;
    }
    const value = values[field.name] as string | Buffer | undefined;
    const size = value === undefined ? 1 : value.length + 1; // the NUL, or the length octet
    const limit = field.kind === 'cstring' ? field.maxOctets : field.maxOctets + 1;
    if (size > limit) throw new FieldError(field.name, 'too long');
    length += size;
  }
  return length;
}

function writeBody(table: readonly Field[], values: Values, frame: Buffer): number {
  let offset = HEADER_OCTETS;
  for (const field of table) {
    const value = values[field.name];
    if (field.kind === 'uint8') {
      frame[offset++] = uint8Of(field.name, value as number | undefined);
    } else if (field.kind === 'cstring') {
      offset = writeCString(field.name, value as string | undefined, frame, offset);
    } else {
      const octets = (value as Buffer | undefined) ?? noOctets;
      frame[offset++] = octets.length;
      frame.set(octets, offset);
      offset += octets.length;
    }
  }
  return offset;
}

/** An encoded PDU gets its number only when it is known to go out. */
export function setSequence(frame: Buffer, sequence: number): void {
  writeUint32(frame, 12, sequence);
}

function uint8Of(name: string, value = 0): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xff)
    throw new FieldError(name, 'not a number of the right size');
  return value;
}

/** Writes octet by octet: fields are short, and each octet must be checked anyway. */
function writeCString(name: string, value: string | undefined, frame: Buffer, start: number): number {
  let offset = start;
  if (value !== undefined) {
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code === 0) throw new FieldError(name, 'holds a NUL');
      if (code > 0xff) throw new FieldError(name, 'not ISO 8859-1');
      frame[offset++] = code;
    }
  }
  frame[offset++] = 0;
  return offset;
}

/**
 * Reads one whole PDU, as framing.ts hands it out. Buffers in the result are views of `frame`.
 *
 * Requests are read strictly, up to the optional parameters of a message. Answers are read as far as they go: SMSCs leave out the body of a
 * refusal, the NUL of a message_id, or append odd octets, and yet command_status settles the request.
 */
export function decodePdu(frame: Buffer): Decoded {
  const commandId = readUint32(frame, 4);
  const status = readUint32(frame, 8);
  const sequence = readUint32(frame, 12);
  const command = commandOf.get(commandId);
  if (command === undefined) return { kind: 'unknown_command', commandId, status, sequence };

  if (command === 'deliver_sm' || command === 'submit_sm') {
    const pdu = readShortMessage(frame, command, status, sequence);
    if (pdu !== null) return { kind: 'pdu', pdu };
    // Reading by the table says which field is wrong.
  }
  return decodeByTable(frame, command, status, sequence);
}

/** Any PDU, field by field. For `decodePdu` and its test. */
export function decodeByTable(frame: Buffer, command: Command, status: number, sequence: number): Decoded {
  const lenient = isAnswerId(commandIds[command]);
  const values: Values = { command, status, sequence };
  let offset = HEADER_OCTETS;
  for (const field of fields[command] as readonly Field[]) {
    const next = readField(field, values, frame, offset, lenient);
    if (next < 0) return { kind: 'malformed', command, status, sequence, reason: `${field.name} is cut off` };
    offset = next;
  }
  const tlvs = readTlvs(frame, offset);
  const damage = 'an optional parameter is cut off';
  if (tlvs === null && !lenient && !readDamaged.has(command)) {
    return { kind: 'malformed', command, status, sequence, reason: damage };
  }
  values.tlvs = tlvs ?? readTlvs(frame, offset, 'keep');
  const pdu = values as unknown as Pdu;
  return tlvs === null && !lenient ? { kind: 'pdu', pdu, damage } : { kind: 'pdu', pdu };
}

/** Offset behind the field; -1 when the frame ends first, unless the reader is lenient and takes the octets that are there. */
function readField(field: Field, values: Values, frame: Buffer, offset: number, lenient: boolean): number {
  if (field.kind === 'cstring') {
    let end = offset;
    while (end < frame.length && frame[end] !== 0) end += 1;
    if (end === frame.length && !lenient) return -1;
    values[field.name] = end === offset ? '' : frame.toString('latin1', offset, end);
    return Math.min(end + 1, frame.length);
  }
  const first = frame[offset];
  if (first === undefined && !lenient) return -1;
  if (field.kind === 'uint8') {
    values[field.name] = first ?? 0;
    return Math.min(offset + 1, frame.length);
  }
  const end = offset + 1 + (first ?? 0);
  if (end > frame.length && !lenient) return -1;
  values[field.name] = frame.subarray(offset + 1, end);
  return Math.min(end, frame.length);
}

function writeUint32(frame: Buffer, offset: number, value: number): void {
  frame[offset] = value >>> 24;
  frame[offset + 1] = value >>> 16;
  frame[offset + 2] = value >>> 8;
  frame[offset + 3] = value;
}

function readUint32(frame: Buffer, offset: number): number {
  return ((frame[offset]! << 24) | (frame[offset + 1]! << 16) | (frame[offset + 2]! << 8) | frame[offset + 3]!) >>> 0;
}

type ShortMessage = Pdu<'deliver_sm' | 'submit_sm'>;

/**
 * Reads deliver_sm and submit_sm without the field tables; null when the frame ends inside a field. They make up most of the traffic,
 * and an object written out here costs a fifth of one put together field by field. A test holds both readers to the same result.
 */
function readShortMessage(
  frame: Buffer,
  command: ShortMessage['command'],
  status: number,
  sequence: number,
): ShortMessage | null {
  const body = new Cursor(frame, HEADER_OCTETS);
  const pdu = {
    command,
    status,
    sequence,
    service_type: body.cstring(),
    source_addr_ton: body.uint8(),
    source_addr_npi: body.uint8(),
    source_addr: body.cstring(),
    dest_addr_ton: body.uint8(),
    dest_addr_npi: body.uint8(),
    destination_addr: body.cstring(),
    esm_class: body.uint8(),
    protocol_id: body.uint8(),
    priority_flag: body.uint8(),
    schedule_delivery_time: body.cstring(),
    validity_period: body.cstring(),
    registered_delivery: body.uint8(),
    replace_if_present_flag: body.uint8(),
    data_coding: body.uint8(),
    sm_default_msg_id: body.uint8(),
    short_message: body.octets(),
    tlvs: noTlvs,
  };
  if (body.offset > frame.length) return null;
  const tlvs = readTlvs(frame, body.offset);
  if (tlvs === null) return null;
  pdu.tlvs = tlvs;
  return pdu;
}

/** A reader of consecutive fields. It reads past the end without an error; `offset` then lies behind the end. */
class Cursor {
  readonly #frame: Buffer;
  offset: number;

  constructor(frame: Buffer, offset: number) {
    this.#frame = frame;
    this.offset = offset;
  }

  cstring(): string {
    const start = this.offset;
    let end = start;
    while (end < this.#frame.length && this.#frame[end] !== 0) end += 1;
    this.offset = end + 1;
    return end === start ? '' : this.#frame.toString('latin1', start, end);
  }

  uint8(): number {
    return this.#frame[this.offset++] ?? 0;
  }

  octets(): Buffer {
    const start = this.offset + 1;
    this.offset = start + (this.#frame[this.offset] ?? 0);
    return this.#frame.subarray(start, this.offset);
  }
}
