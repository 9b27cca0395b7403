// Reads datagrams with Wireshark's dissectors: text2pcap makes a capture of them, tshark says what is in it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../../support/folder.ts';
import { startProcess } from '../../../support/process.ts';
import { toolPath } from '../../../support/tool.ts';

export interface Reading {
  /** UDP port of both ends, by which the dissector is chosen. */
  port: number;
  dissector: 'sip' | 'rtp' | 'rtcp';
  /** In Wireshark's words. */
  fields: readonly string[];
}

/** Each datagram as the values of the fields, in their order; empty where it has none. */
export async function dissectDatagrams(
  datagrams: readonly Buffer[],
  { port, dissector, fields }: Reading,
): Promise<string[][]> {
  const folder = testFolder('dissect');
  const dump = datagrams.map((octets) => `000000 ${octets.toString('hex').replaceAll(/../g, '$& ')}`).join('\n');
  writeFileSync(join(folder, 'dump.txt'), `${dump}\n`);
  await run('text2pcap', ['-q', '-u', `${port},${port}`, 'dump.txt', 'out.pcap'], folder);
  const wanted = fields.flatMap((name) => ['-e', name]);
  const table = ['-T', 'fields', '-E', 'separator=|', '-E', 'occurrence=a'];
  const args = ['-n', '-r', 'out.pcap', '-d', `udp.port==${port},${dissector}`, ...table, ...wanted];
  const lines = (await run('tshark', args, folder)).split('\n').filter((line) => line.includes('|'));
  return lines.map((line) => line.split('|'));
}

async function run(tool: string, args: readonly string[], cwd: string): Promise<string> {
  // Without the user's own settings and profiles.
  const process = startProcess(toolPath(tool) ?? tool, { args, cwd, env: { HOME: cwd, WIRESHARK_CONFIG_DIR: cwd } });
  const { code } = await process.exit(60_000);
  if (code !== 0) throw new Error(`${tool} failed: ${process.output()}`);
  return process.output();
}
