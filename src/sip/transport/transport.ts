// What the endpoint needs of a transport. A transport carries bytes and opens what it needs on demand; it knows nothing of calls.

import { isIPv6, SocketAddress } from 'node:net';

/** Where to send to, or where something came from. */
export interface Remote {
  /** IPv4 or IPv6 address, without brackets. */
  address: string;
  port: number;
}

export interface Local {
  /** Empty = any, 'the one by which the trunk is reached'. */
  host: string;
  /** 0 = any free one. */
  port: number;
}

export interface TransportHandler {
  /** One whole message, or one datagram. */
  message(bytes: Buffer, from: Remote): void;
  /** Something sent there lately was refused by the host: nobody listens. Of UDP only (ICMP). */
  refused(target: Remote): void;
  /** An open connection ended: what was written last may have arrived. Of TCP and TLS only. */
  lost(target: Remote): void;
  /** The connection's framing is lost; the connection is closed. Of TCP and TLS only. */
  broken(from: Remote, why: string): void;
}

export type Opened = { kind: 'open' } | { kind: 'failed'; why: string };

/** `local`: our own address and port as that target sees them, were there no NAT. */
export type Reached = { kind: 'reached'; local: Remote } | { kind: 'unreachable'; why: string };

export interface Transport {
  readonly reliable: boolean;
  /** Takes what must be taken at the start. Never rejects. */
  open(): Promise<Opened>;
  /** Makes a target ready to be sent to. Never rejects. */
  reach(target: Remote): Promise<Reached>;
  /** Sends without a word of success: who sends has timers. False when it is certain that nothing was sent. */
  send(bytes: Buffer, to: Remote): boolean;
  /** A target with which something is open already, so that it is taken before others of its priority. */
  isOpenTo(target: Remote): boolean;
  /** The target answers no more: what is open to it is closed, and opened again on demand. */
  drop(target: Remote): void;
  close(): Promise<void>;
}

export const remoteKey = ({ address, port }: Remote): string => `${address} ${port}`;

/** The shortest form of an IPv6 address, as a socket reports it (RFC 5952 section 4); any other text as it is. */
export const shortForm = (address: string): string =>
  isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;

/** One spelling for each host: IPv4 in IPv6 form becomes IPv4 again, IPv6 its shortest form, and a zone goes. */
export function plainAddress(address: string): string {
  const plain = shortForm(address.replace(/%.*$/, ''));
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1] ?? plain;
}
