// Session descriptions of a spoken call (RFC 4566, RFC 3264): we offer G.711 and key presses (RFC 4733), and read where the other side
// wants its audio. Lines that a call does not need are passed over.

import { isIP, isIPv6 } from 'node:net';
import { parseDecimal } from './text.ts';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export interface OfferOptions {
  /** An IP address at which RTP reaches us. */
  address: string;
  port: number;
  /** Decimal digits; the same for all descriptions of a call. */
  sessionId: string;
  /** One more for each description that differs from the one before. */
  version: number;
  direction?: Direction;
  /** Payload type of key presses. */
  eventType?: number;
}

export interface MediaTarget {
  address: string;
  port: number;
  codec: 'PCMA' | 'PCMU';
  /** The numbers by which the other side names codec and key presses: packets to it bear them. */
  payloadType: number;
  eventType: number | null;
  /** The other side wants to hear nothing for now. */
  held: boolean;
  /** The other side says that it sends nothing for now. */
  mute: boolean;
}

/** `unreadable`: no SDP. `no_line`: no audio in it. `refused`: port 0. `secured`: SRTP, or no RTP at all. */
export type NoAudio = 'unreadable' | 'no_line' | 'refused' | 'secured' | 'no_codec' | 'no_address';
export type Answer = { kind: 'ok'; answer: MediaTarget } | { kind: 'no_audio'; reason: NoAudio };

interface MediaLine {
  media: string;
  port: number | null;
  protocol: string;
  formats: readonly string[];
  /** By payload type: `PCMA/8000`, in capital letters. */
  codecs: Map<string, string>;
  connection: string | null;
  direction: Direction | null;
}

/** Numbers that need no rtpmap (RFC 3551). */
const STATIC = new Map([
  ['0', 'PCMU/8000'],
  ['8', 'PCMA/8000'],
]);
const OPPOSITE = { sendonly: 'recvonly', recvonly: 'sendonly', sendrecv: 'sendrecv', inactive: 'inactive' } as const;

/** A-law first: it is what Algerian networks carry. */
export function writeOffer(options: OfferOptions): string {
  const { direction = 'sendrecv', eventType = 101 } = options;
  const codecs = [['8', 'PCMA'] as const, ['0', 'PCMU'] as const];
  return [
    ...sessionLines(options),
    ...audioLines(`${options.port} RTP/AVP`, codecs, String(eventType), direction),
    '',
  ].join('\r\n');
}

function sessionLines({
  address,
  sessionId,
  version,
}: Pick<OfferOptions, 'address' | 'sessionId' | 'version'>): string[] {
  const place = `IN ${isIPv6(address) ? 'IP6' : 'IP4'} ${address}`;
  return ['v=0', `o=- ${sessionId} ${version} ${place}`, 's=-', `c=${place}`, 't=0 0'];
}

function audioLines(
  at: string,
  codecs: readonly (readonly [type: string, name: string])[],
  eventType: string | null,
  direction: Direction,
): string[] {
  const types = [...codecs.map(([type]) => type), ...(eventType === null ? [] : [eventType])];
  const events = eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`];
  return [
    `m=audio ${at} ${types.join(' ')}`,
    ...codecs.map(([type, name]) => `a=rtpmap:${type} ${name}/8000`),
    ...events,
    'a=ptime:20',
    `a=${direction}`,
  ];
}

/** Where the other side wants its audio, from its answer or from an offer of its own. The first codec of its list that we speak counts. */
export function parseAnswer(sdp: string): Answer {
  const lines = parseMediaLines(sdp);
  if (lines === null) return { kind: 'no_audio', reason: 'unreadable' };
  let reason: NoAudio = 'no_line';
  for (const line of lines.filter(({ media }) => media === 'audio')) {
    const target = targetOf(line);
    if (typeof target !== 'string') return { kind: 'ok', answer: target };
    if (reason === 'no_line') reason = target;
  }
  return { kind: 'no_audio', reason };
}

function targetOf(line: MediaLine): MediaTarget | NoAudio {
  const { port, protocol, formats, codecs, connection, direction } = line;
  if (port === 0) return 'refused';
  if (port === null) return 'unreadable';
  if (!/^RTP\/AVPF?$/i.test(protocol)) return 'secured';
  const nameOf = (type: string) =>
    /^(?:(PCM[AU])|TELEPHONE-EVENT)\/8000(?:\/1)?$/.exec(codecs.get(type) ?? STATIC.get(type) ?? '');
  const known = formats
    .filter((type) => parseDecimal(type, 127) !== null)
    .map((type) => [Number(type), nameOf(type)] as const);
  const [codec] = known.filter(([, match]) => match?.[1] !== undefined);
  if (codec === undefined) return 'no_codec';
  const [event] = known.filter(([, match]) => match !== null && match[1] === undefined);
  if (connection === null || !isUsable(connection)) return 'no_address';
  return {
    address: connection,
    port,
    codec: codec[1]?.[1] as 'PCMA' | 'PCMU',
    payloadType: codec[0],
    eventType: event?.[0] ?? null,
    held: direction === 'sendonly' || direction === 'inactive' || isNowhere(connection),
    mute: direction === 'recvonly' || direction === 'inactive',
  };
}

/** Before RFC 3264 a call was held by this address. */
const isNowhere = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** An address of one machine: a voice for a group of them is no answer to a call. */
function isUsable(address: string): boolean {
  if (isIPv6(address)) return !/^ff/i.test(address);
  return isIP(address) === 4 && (Number(address.split('.', 1)[0]) < 224 || isNowhere(address));
}

/** All m= lines in order; null for what has no `v=0`. What stands above the first one holds for all that do not say otherwise. */
function parseMediaLines(sdp: string): MediaLine[] | null {
  const session: Pick<MediaLine, 'connection' | 'direction'> = { connection: null, direction: null };
  const lines: MediaLine[] = [];
  const [first = '', ...rest] = sdp.split(/\r\n|\r|\n/);
  if (first.trim() !== 'v=0') return null;
  for (const text of rest) {
    const value = text.slice(2).trim();
    const place = lines.at(-1) ?? session;
    if (text.startsWith('m=')) lines.push({ ...parseMediaLine(value), ...session });
    else if (text.startsWith('c=')) place.connection = /^IN\s+IP[46]\s+([^\s/]+)/i.exec(value)?.[1] ?? null;
    else if (text.startsWith('a=')) parseAttribute(value, place, lines.at(-1));
  }
  return lines;
}

function parseMediaLine(value: string): Omit<MediaLine, 'connection' | 'direction'> {
  const [media = '', port = '', protocol = '', ...formats] = value.split(/\s+/);
  const [first = ''] = port.split('/', 1);
  return { media: media.toLowerCase(), port: parseDecimal(first, 65_535), protocol, formats, codecs: new Map() };
}

function parseAttribute(value: string, place: Pick<MediaLine, 'direction'>, line: MediaLine | undefined): void {
  if (Object.hasOwn(OPPOSITE, value)) {
    place.direction = value as Direction;
    return;
  }
  const [, type, codec] = /^rtpmap:([0-9]+)\s+(\S+)/i.exec(value) ?? [];
  if (line && type !== undefined && codec !== undefined) line.codecs.set(type, codec.toUpperCase());
}

/**
 * Our answer to an offer from there within a call (RFC 3264 section 6): their lines in their order, the audio one accepted with the
 * numbers they gave, all others refused by port 0. Null where they offer no audio that we speak: answer 488.
 */
export function writeAnswer(offer: string, ours: Omit<OfferOptions, 'direction' | 'eventType'>): string | null {
  const lines = parseMediaLines(offer) ?? [];
  const targets = lines.map((line) => (line.media === 'audio' ? targetOf(line) : 'no_line'));
  const chosen = targets.findIndex((target) => typeof target !== 'string');
  if (chosen < 0) return null;
  const described = lines.flatMap(({ media, protocol, formats, direction }, index) => {
    const target = targets[index];
    if (index !== chosen || target === undefined || typeof target === 'string')
      return [`m=${media} 0 ${protocol} ${formats.join(' ')}`];
    const { payloadType, codec, eventType } = target;
    const event = eventType === null ? null : String(eventType);
    return audioLines(
      `${ours.port} ${protocol}`,
      [[String(payloadType), codec]],
      event,
      OPPOSITE[direction ?? 'sendrecv'],
    );
  });
  return [...sessionLines(ours), ...described, ''].join('\r\n');
}
