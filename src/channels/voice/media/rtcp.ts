// RTCP (RFC 3550 section 6): the reports that we send, each a compound of SR, SDES with CNAME and in the end BYE, and the little that is
// read of the peer's.

/** Between two reports, ms. */
export const reportEveryMs = 5_000;

const types = { SR: 200, RR: 201, SDES: 202, BYE: 203 } as const;
/** Seconds from 1900, where NTP begins, to 1970. */
const ntpOffsetSeconds = 2_208_988_800;

/** What arrived of the peer's stream (RFC 3550 section 6.4.1). */
export interface ReportBlock {
  ssrc: number;
  /** Lost since the last report, in 256ths. */
  fractionLost: number;
  /** Lost since the beginning; negative where packets came twice. */
  lost: number;
  highestSequence: number;
  /** In samples. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the peer's last SR; 0 = none came. */
  lastReport: number;
  /** From its arrival until now, in 65,536ths of a second. */
  sinceLastReport: number;
}

export interface OwnReport {
  ssrc: number;
  cname: string;
  /** Unix ms of the moment at which the stream has this RTP timestamp. */
  at: number;
  timestamp: number;
  packets: number;
  octets: number;
  block: ReportBlock | null;
  /** The stream ends. */
  bye: boolean;
}

export function writeReport(report: OwnReport): Buffer {
  const parts = [senderReport(report), sourceDescription(report)];
  if (report.bye) parts.push(packet(types.BYE, 1, uint32(report.ssrc)));
  return Buffer.concat(parts);
}

function senderReport({ ssrc, at, timestamp, packets, octets, block }: OwnReport): Buffer {
  const body = Buffer.alloc(24);
  body.writeUInt32BE(ssrc, 0);
  body.writeUInt32BE((Math.floor(at / 1000) + ntpOffsetSeconds) >>> 0, 4);
  body.writeUInt32BE(Math.floor((at % 1000) * (2 ** 32 / 1000)), 8);
  body.writeUInt32BE(timestamp, 12);
  body.writeUInt32BE(packets >>> 0, 16);
  body.writeUInt32BE(octets >>> 0, 20);
  return packet(types.SR, block ? 1 : 0, block ? Buffer.concat([body, reportBlock(block)]) : body);
}

function reportBlock(block: ReportBlock): Buffer {
  const body = Buffer.alloc(24);
  body.writeUInt32BE(block.ssrc, 0);
  body.writeUInt8(Math.min(255, Math.max(0, block.fractionLost)), 4);
  body.writeIntBE(Math.min(0x7fffff, Math.max(-0x800000, block.lost)), 5, 3);
  body.writeUInt32BE(block.highestSequence >>> 0, 8);
  body.writeUInt32BE(Math.floor(block.jitter) >>> 0, 12);
  body.writeUInt32BE(block.lastReport >>> 0, 16);
  body.writeUInt32BE(Math.floor(block.sinceLastReport) >>> 0, 20);
  return body;
}

function sourceDescription({ ssrc, cname }: OwnReport): Buffer {
  const text = Buffer.from(cname, 'latin1').subarray(0, 255);
  const items = Buffer.concat([uint32(ssrc), Buffer.of(1, text.length), text]);
  // At least one zero ends the chunk, which is a multiple of 4 octets (RFC 3550 section 6.5).
  return packet(types.SDES, 1, Buffer.concat([items, Buffer.alloc(4 - (items.length % 4))]));
}

function packet(type: number, count: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x80 | count, type, body.length >> 10, (body.length >> 2) & 0xff), body]);
}

function uint32(value: number): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return octets;
}

/** Whether a datagram on the RTP port is RTCP: types 192 to 223 are no payload types (RFC 5761 section 4). */
export const isRtcp = (octets: Uint8Array): boolean => (octets[1] ?? 0) >= 192 && (octets[1] ?? 0) <= 223;

/** The peer's sender report. */
export interface PeerReport {
  ssrc: number;
  /** Middle 32 bits of its NTP time. */
  ntp: number;
}

/** The sender report of a compound packet, `none` where it has none, null where it is no RTCP (RFC 3550 appendix A.2). Never throws. */
export function parseReport(octets: Buffer): PeerReport | 'none' | null {
  let found: PeerReport | 'none' = 'none';
  let at = 0;
  while (at < octets.length) {
    if (octets.length - at < 4) return null;
    const [first = 0, type = 0] = octets.subarray(at);
    const end = at + 4 + octets.readUInt16BE(at + 2) * 4;
    const isFirstWrong = at === 0 && type !== types.SR && type !== types.RR;
    if (first >> 6 !== 2 || end > octets.length || isFirstWrong) return null;
    if (type === types.SR && end - at >= 28)
      found = { ssrc: octets.readUInt32BE(at + 4), ntp: octets.readUInt32BE(at + 10) };
    at = end;
  }
  return at === 0 ? null : found;
}
