// Optional parameters (SMPP v3.4 section 5.3): tags, their octets, and readers of their values. The codec keeps every parameter raw,
// because vendors give the same tag different meanings.

import { FieldError, type Tlv } from './pdu.ts';

/** Tags this library reads or writes itself; 0x1400-0x3FFF are the vendors', and mean something else at each. */
export const tags = {
  receipted_message_id: 0x001e,
  user_message_reference: 0x0204,
  sc_interface_version: 0x0210,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  message_state: 0x0427,
} as const;

export const noTlvs: readonly Tlv[] = [];

/**
 * All parameters from `start` to the end of the frame; values are views of the frame. When one is cut off: null, or with `keep` those before
 * it.
 */
export function readTlvs(frame: Buffer, start: number, atCut: 'refuse' | 'keep' = 'refuse'): readonly Tlv[] | null {
  if (start === frame.length) return noTlvs;
  const tlvs: Tlv[] = [];
  const cut = atCut === 'keep' ? tlvs : null;
  let offset = start;
  while (offset < frame.length) {
    if (offset + 4 > frame.length) return cut;
    const tag = (frame[offset]! << 8) | frame[offset + 1]!;
    const end = offset + 4 + ((frame[offset + 2]! << 8) | frame[offset + 3]!);
    if (end > frame.length) return cut;
    tlvs.push({ tag, value: frame.subarray(offset + 4, end) });
    offset = end;
  }
  return tlvs;
}

/** Octets of the parameters on the wire. @throws FieldError for a tag or a value that does not fit. */
export function tlvsLength(tlvs: readonly Tlv[]): number {
  let length = 0;
  for (const { tag, value } of tlvs) {
    const name = `tlv 0x${tag.toString(16)}`;
    if (!Number.isInteger(tag) || tag < 0 || tag > 0xffff) throw new FieldError(name, 'not a number of the right size');
    if (value.length > 0xffff) throw new FieldError(name, 'too long');
    length += 4 + value.length;
  }
  return length;
}

/** Writes the parameters, whose lengths were checked by `tlvsLength`. */
export function writeTlvs(tlvs: readonly Tlv[], frame: Buffer, start: number): void {
  let offset = start;
  for (const { tag, value } of tlvs) {
    frame[offset++] = tag >> 8;
    frame[offset++] = tag & 0xff;
    frame[offset++] = value.length >> 8;
    frame[offset++] = value.length & 0xff;
    frame.set(value, offset);
    offset += value.length;
  }
}

/** Value of the first TLV of that tag. */
export function findTlv(tlvs: readonly Tlv[], tag: number): Buffer | undefined {
  for (const tlv of tlvs) if (tlv.tag === tag) return tlv.value;
  return undefined;
}

/** Text up to the first NUL; some SMSCs leave the NUL out, some pad with several. */
export function tlvText(tlvs: readonly Tlv[], tag: number): string | undefined {
  const value = findTlv(tlvs, tag);
  if (value === undefined) return undefined;
  const end = value.indexOf(0);
  return value.toString('latin1', 0, end < 0 ? value.length : end);
}

/** Big-endian number of 1 to 4 octets; undefined when there is no such TLV or its length makes no number. */
export function tlvNumber(tlvs: readonly Tlv[], tag: number): number | undefined {
  const value = findTlv(tlvs, tag);
  if (value === undefined || value.length === 0 || value.length > 4) return undefined;
  return value.readUIntBE(0, value.length);
}
