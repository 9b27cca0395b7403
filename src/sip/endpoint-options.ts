// What an endpoint and its calls are given, and what becomes of it in our requests: who we are, at which address, and whom we call.

import type { Credentials } from './authenticator.ts';
import type { CallOptions } from './call-context.ts';
import type { HostsOptions } from './hosts.ts';
import type { TrunkAddress } from './locate.ts';
import { quote } from './text.ts';
import type { TlsOptions } from './transport/stream.ts';
import type { Local, Remote } from './transport/transport.ts';
import { phoneUri, writeHostPort } from './uri.ts';
import type { HeaderLine } from './writer.ts';

/** `stranger`: not from the trunk. `unreadable`: no SIP message, or framing that is lost. `unknown_call`: an answer to no request. */
export type DropReason = 'stranger' | 'unreadable' | 'unknown_call';

export interface EndpointOptions extends HostsOptions {
  /** Default: any address and port. */
  local?: Local;
  /** Our address, and port where it differs, as the trunk sees them from the other side of a NAT. */
  advertise?: { host: string; port: number | null } | null;
  tls?: TlsOptions;
  /** Host of From, To and request URI, where it is not the trunk's address. */
  domain?: string | null;
  onDropped?(why: DropReason): void;
  /** Milliseconds of a clock that never goes back. */
  now?(): number;
  /** RFC 3261 timer T1. Default 500. */
  t1Ms?: number;
}

export interface OutgoingCall {
  /** The Call-ID, which no other call has. */
  callId: string;
  /** The called number, in the trunk's format. */
  to: string;
  from: { user: string; display?: string | null };
  /** User part of P-Asserted-Identity (RFC 3325), where the trunk wants one. */
  identity?: string | null;
  /** Writes the session description; `address` is ours as the trunk reaches it. Asked once for each host that is tried. */
  offer(address: string): string;
  credentials: Credentials | null;
  /** Over all hosts, from the moment the call is placed. */
  ringForMs: number;
  headers?: readonly HeaderLine[];
  sessionExpiresSeconds?: number;
  /** 4 or 6: only hosts with an address of IPv4 or of IPv6 are tried. Default: both. */
  family?: number | null;
}

/** Our side of a request. `via` lacks the branch. */
export interface OwnSide {
  via: string;
  contact: string;
  /** Without brackets. */
  address: string;
}

/** @param local Our address and port by which the trunk is reached, were there no NAT. @param user User part of the Contact. */
export function ownSide({ advertise, transport }: EndpointOptions, local: Remote, user: string): OwnSide {
  const address = advertise?.host ?? local.address;
  const port = advertise?.port ?? local.port;
  return {
    via: `SIP/2.0/${transport.toUpperCase()} ${writeHostPort(address, port)};rport`,
    contact: phoneUri(user, address, { port, parameters: transport === 'udp' ? {} : { transport } }),
    address,
  };
}

/** Host and port in the request URI. */
const calledAt = ({ domain, trunk }: EndpointOptions): TrunkAddress => (domain ? { host: domain, port: null } : trunk);

/** The trunk itself, as an OPTIONS asks for it. */
export function trunkUri(options: EndpointOptions): string {
  const { host, port } = calledAt(options);
  return `sip:${writeHostPort(host, port)}`;
}

export function callOptions(options: EndpointOptions, call: OutgoingCall, local: Remote): CallOptions {
  const { transport, t1Ms } = options;
  const { via, contact, address } = ownSide(options, local, call.from.user);
  const { host, port } = calledAt(options);
  const display = call.from.display ? `${quote(call.from.display)} ` : '';
  const identity: HeaderLine[] = call.identity ? [['P-Asserted-Identity', `<${phoneUri(call.identity, host)}>`]] : [];
  return {
    callId: call.callId,
    uri: phoneUri(call.to, host, { port }),
    to: phoneUri(call.to, host),
    from: `${display}<${phoneUri(call.from.user, host)}>`,
    contact,
    via,
    reliable: transport !== 'udp',
    offer: call.offer(address),
    credentials: call.credentials,
    ringForMs: call.ringForMs,
    headers: [...identity, ...(call.headers ?? [])],
    ...(t1Ms === undefined ? {} : { t1Ms }),
    ...(call.sessionExpiresSeconds === undefined ? {} : { sessionExpiresSeconds: call.sessionExpiresSeconds }),
  };
}
