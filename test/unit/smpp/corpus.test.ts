// Our codec and npm `smpp`, an implementation we have no part in, agree on a corpus and on random PDUs, in both directions:
// what one writes the other reads as meant, and both write the same octets.
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import fc from 'fast-check';
import type shared from 'smpp';
import { describe, expect, test } from 'vitest';
import { decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import { type Command, commandIds, type Field, fields, type Pdu, type PduInput } from '../../../src/smpp/pdu.ts';
import { corpus } from './corpus.ts';

const smpp = ownCopy();

/** The package once more, for this file alone: its tables are changed below, and src/sandbox/smsc/codec.ts changes those of the shared one. */
function ownCopy(): typeof shared {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('smpp/package.json')) + sep;
  const loaded = () => Object.keys(require.cache).filter((path) => path.startsWith(folder));
  const kept = loaded().map((path) => [path, require.cache[path]] as const);
  for (const path of loaded()) delete require.cache[path];
  const copy = require('smpp') as typeof shared;
  for (const path of loaded()) delete require.cache[path];
  for (const [path, module] of kept) require.cache[path] = module;
  return copy;
}

// The package turns texts, dates and some numbers into values of its own; the codecs are compared on what is on the wire.
const { commands, tlvsById } = smpp as unknown as {
  commands: Record<string, { params: Record<string, { filter?: unknown }>; tlvMap?: Record<string, string> }>;
  tlvsById: Record<number, { tag: string; type: unknown; filter?: unknown }>;
};
for (const { params } of Object.values(commands)) for (const field of Object.values(params ?? {})) delete field.filter;
for (const tlv of Object.values(tlvsById)) {
  delete tlv.filter;
  tlv.type = (smpp.types.tlv as Record<string, unknown>).buffer;
}

// Without a name the package writes no optional parameter at all.
smpp.addTLV('vendor_cost', { id: 0x1400, type: smpp.types.tlv.buffer });

type Values = Record<string, unknown>;
const tableOf = (command: string): readonly Field[] => fields[command as Command];
const tagName = (tag: number): string => tlvsById[tag]?.tag ?? String(tag);

/** A PDU of ours as npm smpp's options. */
function toTheirs(pdu: Pdu): Values {
  const values = pdu as unknown as Values;
  const mandatory = Object.fromEntries(tableOf(pdu.command).map(({ name }) => [name, values[name]]));
  const optional = Object.fromEntries(pdu.tlvs.map(({ tag, value }) => [tagName(tag), value]));
  return { ...mandatory, ...optional, command_status: pdu.status, sequence_number: pdu.sequence };
}

/** What a decoder read, in one form for both. */
interface Read {
  command: string;
  status: number;
  sequence: number;
  fields: Values;
  tlvs: Values;
}

const plain = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('hex') : value);

function readByUs(frame: Buffer): Read {
  const decoded = decodePdu(frame);
  if (decoded.kind !== 'pdu') throw new Error(decoded.kind);
  const { command, status, sequence, tlvs } = decoded.pdu;
  const values = decoded.pdu as unknown as Values;
  return {
    command,
    status,
    sequence,
    fields: Object.fromEntries(tableOf(command).map(({ name }) => [name, plain(values[name])])),
    tlvs: Object.fromEntries(tlvs.map(({ tag, value }) => [tagName(tag), plain(value)])),
  };
}

/** @param lenient fills in what the frame leaves out, as our reader of answers does; the package leaves it undefined. */
function readByThem(frame: Buffer, tags: readonly number[], lenient = false): Read {
  const pdu = new smpp.PDU(Buffer.from(frame));
  if (lenient) for (const { name } of tableOf(pdu.command)) pdu[name] ??= '';
  const present = tags.map(tagName).filter((name) => pdu[name] !== undefined);
  return {
    command: pdu.command,
    status: pdu.command_status,
    sequence: pdu.sequence_number,
    fields: Object.fromEntries(tableOf(pdu.command).map(({ name }) => [name, plain(pdu[name])])),
    tlvs: Object.fromEntries(present.map((name) => [name, plain(pdu[name])])),
  };
}

const ours = (frame: Buffer): Pdu => {
  const decoded = decodePdu(frame);
  if (decoded.kind !== 'pdu') throw new Error(decoded.kind);
  return decoded.pdu;
};

describe('the corpus', () => {
  test('names each PDU once', () => {
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  });

  test.each(corpus)('$name', ({ hex, says, readOnly }) => {
    const frame = Buffer.from(hex, 'hex');
    const pdu = ours(frame);
    const tags = pdu.tlvs.map(({ tag }) => tag);
    const read = readByUs(frame);
    expect({ ...read.fields, ...read.tlvs, command: read.command, status: read.status }).toMatchObject({
      status: 0,
      ...says,
    });
    expect(readByThem(frame, tags, readOnly)).toEqual(read);
    if (readOnly) return;
    expect(encodePdu(pdu as PduInput).toString('hex')).toBe(hex);
    expect(new smpp.PDU(pdu.command, toTheirs(pdu)).toBuffer().toString('hex')).toBe(hex);
  });
});

describe('whatever is written', () => {
  const printable = (maxLength: number) =>
    fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength });
  const anyValue = (field: Field): fc.Arbitrary<unknown> => {
    if (field.kind === 'uint8') return fc.nat({ max: 255 });
    // Beyond ASCII the package reads and writes something else; SMPP v3.4 section 3.1 has ASCII only.
    if (field.kind === 'cstring') return printable(field.maxOctets - 1);
    return fc.uint8Array({ maxLength: field.maxOctets }).map((octets) => Buffer.from(octets));
  };
  /** Once each: the package keeps one of a kind. The vendors' tag stands for those without a name. */
  const tlvList = fc.uniqueArray(
    fc.record({
      tag: fc.constantFrom(0x001e, 0x0204, 0x0210, 0x0423, 0x0424, 0x0427, 0x020c, 0x1400),
      value: fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
    }),
    { selector: ({ tag }) => tag, maxLength: 4 },
  );
  const pdus = fc.constantFrom(...(Object.keys(commandIds) as Command[])).chain((command) =>
    fc.record({
      command: fc.constant(command),
      sequence: fc.integer({ min: 0, max: 0x7fffffff }),
      // The package has one namespace for both: in query_sm_resp message_state is no optional parameter to it.
      tlvs: tlvList.map((list) =>
        list.filter(({ tag }) => !tableOf(command).some(({ name }) => name === tagName(tag))),
      ),
      ...Object.fromEntries(tableOf(command).map((field) => [field.name, anyValue(field)])),
    }),
  ) as unknown as fc.Arbitrary<PduInput>;

  test('by us is read by them, and written by them the same', () => {
    fc.assert(
      fc.property(pdus, (pdu) => {
        const frame = encodePdu(pdu);
        const tags = (pdu.tlvs ?? []).map(({ tag }) => tag);
        expect(readByThem(frame, tags)).toEqual(readByUs(frame));
        expect(new smpp.PDU(pdu.command, toTheirs(ours(frame))).toBuffer().toString('hex')).toBe(frame.toString('hex'));
      }),
      { numRuns: 500 },
    );
  });

  test('by them is read by us', () => {
    fc.assert(
      fc.property(pdus, (pdu) => {
        const sent = { ...pdu, status: 0, sequence: pdu.sequence ?? 0, tlvs: pdu.tlvs ?? [] } as Pdu;
        const frame = new smpp.PDU(pdu.command, toTheirs(sent)).toBuffer();
        const back = ours(frame) as unknown as Values;
        const wanted = sent as unknown as Values;
        for (const { name } of tableOf(pdu.command))
          expect([name, plain(back[name])]).toEqual([name, plain(wanted[name])]);
        expect(back.tlvs).toEqual(sent.tlvs);
      }),
      { numRuns: 500 },
    );
  });
});
