// Session descriptions of a phone (RFC 4566, RFC 3264): what the caller offers, and the answer. A phone takes the first of PCMA and PCMU
// in the offer, and keys in the payload type that the caller named (RFC 4733).

export type Codec = 'PCMA' | 'PCMU';

export interface Offer {
  /** Where our audio goes. */
  address: string;
  port: number;
  codec: Codec;
  payloadType: number;
  /** Payload type of telephone-event; null = the caller takes no keys. */
  eventType: number | null;
}

/** Payload types that need no rtpmap (RFC 3551 section 6). */
const wellKnown: Readonly<Record<number, string>> = { 0: 'PCMU/8000', 8: 'PCMA/8000' };

/** Null where there is nothing to talk with: no audio, no codec of ours, not IPv4. */
export function readOffer(sdp: string): Offer | null {
  const lines = sdp.split(/\r?\n/);
  const start = lines.findIndex((line) => line.startsWith('m=audio '));
  if (start < 0) return null;
  const next = lines.findIndex((line, index) => index > start && line.startsWith('m='));
  const media = lines.slice(start, next < 0 ? undefined : next);
  const firstMedia = lines.findIndex((line) => line.startsWith('m='));
  const address = connection(media) ?? connection(lines.slice(0, firstMedia));
  const [, portText, , ...types] = (media[0] ?? '').trim().split(/ +/);
  const port = Number(portText);
  if (address === null || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const payloadTypes = types.map(Number);
  const names = new Map(payloadTypes.map((type) => [type, encoding(media, type)]));
  const payloadType = payloadTypes.find((type) => /^PCM[AU]\/8000/i.test(names.get(type) ?? ''));
  if (payloadType === undefined) return null;
  const codec = /^PCMA/i.test(names.get(payloadType) ?? '') ? 'PCMA' : 'PCMU';
  const eventType = payloadTypes.find((type) => /^telephone-event\/8000/i.test(names.get(type) ?? '')) ?? null;
  return { address, port, codec, payloadType, eventType };
}

export interface Answer {
  host: string;
  port: number;
  sessionId: number;
  offer: Offer;
}

export function writeAnswer({ host, port, sessionId, offer }: Answer): string {
  const { codec, payloadType, eventType } = offer;
  const events = eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`];
  const lines = [
    'v=0',
    `o=phone ${sessionId} ${sessionId} IN IP4 ${host}`,
    's=-',
    `c=IN IP4 ${host}`,
    't=0 0',
    `m=audio ${port} RTP/AVP ${[payloadType, eventType].filter((type) => type !== null).join(' ')}`,
    `a=rtpmap:${payloadType} ${codec}/8000`,
    ...events,
    'a=ptime:20',
    'a=sendrecv',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function connection(lines: readonly string[]): string | null {
  for (const line of lines) {
    const address = /^c=IN IP4 (\d{1,3}(?:\.\d{1,3}){3})/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  return null;
}

function encoding(media: readonly string[], type: number): string | undefined {
  const prefix = `a=rtpmap:${type} `;
  return media.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? wellKnown[type];
}
