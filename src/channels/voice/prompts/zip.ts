// ZIP archives (APPNOTE.TXT 6.3.10): reads the files that are wanted, stored or deflated. The archive comes from anywhere: no length in it
// is believed, no name in it becomes a path, and what it unpacks to is bounded.

import { crc32, inflateRawSync } from 'node:zlib';

/** Bounds of one archive. A minute at 48 kHz in stereo and 24 bits, more than any clip may last, has 17 MB. */
const MOST_ENTRIES = 1_000;
const MOST_BYTES_A_FILE = 32 * 2 ** 20;
const MOST_BYTES = 128 * 2 ** 20;

/** `files`: name as it is in the archive → its bytes. `reason` is a sentence without its subject. */
export type ZipRead = { kind: 'ok'; files: Map<string, Uint8Array> } | { kind: 'refused'; reason: string };

/** Why an archive can't be read; caught in this file. */
class Unreadable extends Error {}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const MOST_COMMENT = 0xffff;

/** Reads the files whose names are wanted. Never throws. */
export function readZip(bytes: Uint8Array, isWanted: (name: string) => boolean): ZipRead {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  let left = MOST_BYTES;
  try {
    for (const entry of entriesOf(zip)) {
      if (!isWanted(entry.name)) continue;
      if (files.has(entry.name)) throw new Unreadable(`has two files ${entry.name}`);
      const file = unpack(zip, entry, Math.min(left, MOST_BYTES_A_FILE));
      left -= file.length;
      files.set(entry.name, file);
    }
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'refused', reason: error.message };
    // What Buffer and zlib throw where offsets or data are wrong.
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      return { kind: 'refused', reason: 'is damaged' };
    throw error;
  }
  return { kind: 'ok', files };
}

interface Entry {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  unpacked: number;
  /** Of the local header. */
  offset: number;
}

/** The central directory: it alone says what is in the archive, and how long (4.3.12). */
function entriesOf(zip: Buffer): Entry[] {
  const end = endOf(zip);
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw new Unreadable('is in the format ZIP64: make an ordinary ZIP');
  if (count > MOST_ENTRIES) throw new Unreadable(`has more than ${MOST_ENTRIES} files`);
  const entries: Entry[] = [];
  for (let i = 0; i < count; i += 1) {
    if (zip.readUInt32LE(at) !== CENTRAL) throw new Unreadable('is damaged');
    const nameLength = zip.readUInt16LE(at + 28);
    entries.push({
      name: zip.toString('utf8', at + 46, at + 46 + nameLength),
      flags: zip.readUInt16LE(at + 8),
      method: zip.readUInt16LE(at + 10),
      crc: zip.readUInt32LE(at + 16),
      packed: zip.readUInt32LE(at + 20),
      unpacked: zip.readUInt32LE(at + 24),
      offset: zip.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** Where the end record is: the last of the archive, before a comment. */
function endOf(zip: Buffer): number {
  const least = Math.max(0, zip.length - END_LENGTH - MOST_COMMENT);
  for (let at = zip.length - END_LENGTH; at >= least; at -= 1) if (zip.readUInt32LE(at) === END) return at;
  throw new Unreadable('is no ZIP archive');
}

/** `most`: bytes that are still allowed. */
function unpack(zip: Buffer, { name, flags, method, crc, packed, unpacked, offset }: Entry, most: number): Uint8Array {
  if (flags & 1) throw new Unreadable(`has ${name} under a password`);
  if (unpacked > most) throw new Unreadable(`has too much in it: ${name} does not fit any more`);
  if (zip.readUInt32LE(offset) !== LOCAL) throw new Unreadable('is damaged');
  const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  if (start + packed > zip.length) throw new Unreadable('is cut off');
  const data = zip.subarray(start, start + packed);
  const file = methods[method]?.(data, unpacked);
  if (file === undefined) throw new Unreadable(`has ${name} packed by a method that is not read (${method})`);
  if (file.length !== unpacked || crc32(file) !== crc) throw new Unreadable(`is damaged: ${name} is not what it was`);
  return file;
}

const methods: Readonly<Record<number, (data: Buffer, unpacked: number) => Uint8Array>> = {
  0: (data) => data,
  // One byte more than is promised is enough to see that the promise was false.
  8: (data, unpacked) => inflateRawSync(data, { maxOutputLength: unpacked + 1 }),
};
