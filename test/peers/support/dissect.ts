// Recorded PDUs of SMPP as Wireshark's dissector reads them.
import { commandIds } from '../../../src/smpp/index.ts';
import { readPackets } from '../../support/wireshark.ts';
import type { Passed } from './proxy.ts';

/** In Wireshark's words, as text; empty where the PDU has no such field. */
export interface Dissected {
  from: 'esme' | 'smsc';
  /** `submit_sm`, `submit_sm_resp`. */
  command: string;
  length: number;
  status: number;
  sequence: number;
  malformed: boolean;
  system_id: string;
  password: string;
  /** 52 = 0x34: version 3.4. */
  interface_version: string;
  source_ton: string;
  source_npi: string;
  source: string;
  dest_ton: string;
  dest_npi: string;
  destination: string;
  messaging_mode: string;
  registered_delivery: string;
  data_coding: string;
  validity_relative: string;
  validity_absolute: string;
  /** Hex. */
  message: string;
  /** Tags, with commas. */
  tlvs: string;
}

const fields = {
  port: 'tcp.srcport',
  command: 'smpp.command_id',
  length: 'smpp.command_length',
  status: 'smpp.command_status',
  sequence: 'smpp.sequence_number',
  malformed: '_ws.malformed',
  system_id: 'smpp.system_id',
  password: 'smpp.password',
  interface_version: 'smpp.interface_version',
  source_ton: 'smpp.source_addr_ton',
  source_npi: 'smpp.source_addr_npi',
  source: 'smpp.source_addr',
  dest_ton: 'smpp.dest_addr_ton',
  dest_npi: 'smpp.dest_addr_npi',
  destination: 'smpp.destination_addr',
  messaging_mode: 'smpp.esm.submit.msg_mode',
  registered_delivery: 'smpp.regdel.receipt',
  data_coding: 'smpp.data_coding',
  validity_relative: 'smpp.validity_period_r',
  validity_absolute: 'smpp.validity_period',
  message: 'smpp.message',
  tlvs: 'smpp.opt_param_tag',
} as const;

const ESME_PORT = 40_000;
const SMSC_PORT = 2775;

/** One packet for each PDU. */
export async function dissect(passed: readonly Passed[]): Promise<Dissected[]> {
  const packets = passed.map(({ from, frame }) => ({ out: from === 'esme', octets: frame }));
  const rows = await readPackets(packets, {
    // As if it had been TCP between these ports.
    transport: ['-T', `${SMSC_PORT},${ESME_PORT}`],
    decode: ['-d', `tcp.port==${SMSC_PORT},smpp`],
    fields: Object.values(fields),
  });
  return rows.map(toDissected);
}

function toDissected(values: readonly string[]): Dissected {
  const texts = Object.fromEntries(Object.keys(fields).map((name, n) => [name, decimal(values[n] ?? '')]));
  const {
    port,
    command = '',
    length,
    status,
    sequence,
    malformed,
    ...rest
  } = texts as Record<keyof typeof fields, string>;
  return {
    ...rest,
    from: Number(port) === SMSC_PORT ? 'smsc' : 'esme',
    command: nameOf(Number(command)),
    length: Number(length),
    status: Number(status),
    sequence: Number(sequence),
    malformed: malformed !== '',
  };
}

/** Small numbers come as `0x05`. */
const decimal = (value: string): string => (/^0x[0-9a-f]+$/.test(value) ? String(Number(value)) : value);

const names = new Map<number, string>(Object.entries(commandIds).map(([name, id]) => [id, name]));
const nameOf = (id: number): string => names.get(id) ?? `0x${id.toString(16)}`;
