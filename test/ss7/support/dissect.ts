// Messages of M3UA as Wireshark's dissectors read them, with SCCP, TCAP and MAP inside.
import { readPackets } from '../../support/wireshark.ts';
import type { Passed } from './wire.ts';

export interface Dissected {
  from: Passed['from'];
  /** `m3ua:sccp:tcap:gsm_map:gsm_sms`, from M3UA on. */
  protocols: string;
  /** What Wireshark finds wrong; empty where nothing is. */
  wrong: string;
  /** `invoke sendRoutingInfoForSM`, `returnResultLast mt-forwardSM`, … */
  info: string;
}

const M3UA_PORT = 2905;
/** Payload protocol identifier of M3UA, RFC 4666 section 7.1. */
const M3UA = 3;

/** One packet for each message, in an SCTP chunk of its own, as if TCP had been SCTP. */
export async function dissect(passed: readonly Passed[]): Promise<Dissected[]> {
  const packets = passed.map(({ from, frame }) => ({ out: from === 'gateway', octets: frame }));
  const rows = await readPackets(packets, {
    transport: ['-S', `${M3UA_PORT},${M3UA_PORT},${M3UA}`],
    fields: ['frame.protocols', '_ws.malformed', '_ws.expert.message', '_ws.col.Info'],
  });
  return rows.map(([protocols = '', malformed = '', expert = '', info = ''], at) => ({
    from: passed[at]?.from ?? 'gateway',
    protocols: protocols.slice(protocols.indexOf('m3ua')),
    wrong: [malformed, expert].filter((text) => text !== '').join(' '),
    info: info.trim(),
  }));
}
