// Just enough of protobuf's wire format to read the details of an error: strings and messages by field number.
// https://protobuf.dev/programming-guides/encoding/

export interface WireField {
  number: number;
  /** Of a string or message; empty for numbers, which are passed over. */
  bytes: Uint8Array;
}

/** The fields up to the first that can't be read: an error with broken details is still that error. */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; at < bytes.length && shift < 70; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    const length = kind === 2 ? varint() : kind === 1 ? 8 : kind === 5 ? 4 : 0;
    if (kind === 0) varint();
    if (Number.isNaN(tag) || ![0, 1, 2, 5].includes(kind) || !(at + length <= bytes.length)) break;
    fields.push({
      number: Math.floor(tag / 8),
      bytes: kind === 2 ? bytes.subarray(at, at + length) : new Uint8Array(0),
    });
    at += length;
  }
  return fields;
}

/** The last field of that number as text; empty where there is none. */
export function textOf(fields: readonly WireField[], number: number): string {
  const found = fields.filter((field) => field.number === number).at(-1);
  return found ? new TextDecoder().decode(found.bytes) : '';
}
