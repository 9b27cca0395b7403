// Datagrams as Wireshark's dissectors read them.
import { readPackets } from '../../../support/wireshark.ts';

export interface Reading {
  /** UDP port of both ends, by which the dissector is chosen. */
  port: number;
  dissector: 'sip' | 'rtp' | 'rtcp';
  /** In Wireshark's words. */
  fields: readonly string[];
}

/** Each datagram as the values of the fields, in their order; empty where it has none. */
export function dissectDatagrams(
  datagrams: readonly Buffer[],
  { port, dissector, fields }: Reading,
): Promise<string[][]> {
  const packets = datagrams.map((octets) => ({ out: true, octets }));
  return readPackets(packets, {
    transport: ['-u', `${port},${port}`],
    decode: ['-d', `udp.port==${port},${dissector}`],
    fields,
  });
}
