// Recorded messages read by Wireshark's dissectors: text2pcap makes a capture of them, tshark says what is in it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from './process.ts';
import { toolPath } from './tool.ts';

export interface Packet {
  /** True from the left of the two ports to the right one; false the other way. */
  out: boolean;
  octets: Buffer;
}

export interface Reading {
  /** Options of text2pcap: the transport that the packets are wrapped in, such as `-T 2775,40000`. */
  transport: readonly string[];
  /** Options of tshark. */
  decode?: readonly string[];
  /** Wireshark's names. */
  fields: readonly string[];
}

/** One row of field values for each packet; empty where it has no such field, with commas where it has several. */
export async function readPackets(packets: readonly Packet[], reading: Reading): Promise<string[][]> {
  const { transport, decode = [], fields } = reading;
  const folder = mkdtempSync(join(tmpdir(), 'ramz-tshark-'));
  try {
    const hex = (octets: Buffer) => octets.toString('hex').replaceAll(/../g, '$& ');
    // -D: O and I tell the direction; an offset of 0 begins a packet.
    const dump = packets.map(({ out, octets }) => `${out ? 'O' : 'I'}\n000000 ${hex(octets)}`).join('\n');
    writeFileSync(join(folder, 'dump.txt'), `${dump}\n`);
    await run('text2pcap', ['-q', '-D', ...transport, 'dump.txt', 'capture.pcap'], folder);
    const wanted = fields.flatMap((name) => ['-e', name]);
    const form = ['-T', 'fields', '-E', 'separator=|', '-E', 'occurrence=a'];
    const table = await run('tshark', ['-n', '-r', 'capture.pcap', ...decode, ...form, ...wanted], folder);
    const lines = table.split('\n').filter((line) => line.includes('|'));
    return lines.map((line) => line.split('|'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(tool: string, args: readonly string[], cwd: string): Promise<string> {
  // Without the user's own settings and profiles.
  const process = startProcess(toolPath(tool) ?? tool, { args, cwd, env: { HOME: cwd, WIRESHARK_CONFIG_DIR: cwd } });
  const { code } = await process.exit(60_000);
  if (code !== 0) throw new Error(`${tool} failed: ${process.output()}`);
  return process.output();
}
