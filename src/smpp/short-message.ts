// A fast reader for deliver_sm and submit_sm that needs no field tables. They make up most of the traffic, and an object written out
// here costs a fifth of one put together field by field. A test holds both readers to the same result.

import { HEADER_OCTETS, type Pdu } from './pdu.ts';
import { noTlvs, readTlvs } from './tlv.ts';

type ShortMessage = Pdu<'deliver_sm' | 'submit_sm'>;

/** The whole PDU; null when the frame ends inside a field. `short_message` is a view of the frame. */
export function readShortMessage(
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
