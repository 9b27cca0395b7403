// The public surface of the library: outgoing calls by SIP (RFC 3261). Only these exports are kept stable; all others serve the library.

export type { CallEnd, CallEvent } from './call-context.ts';
export { Endpoint, type EndpointCall } from './endpoint.ts';
export type { DropReason, EndpointOptions, OutgoingCall } from './endpoint-options.ts';
export { isOfThePhone } from './headers.ts';
export { parseTrunkAddress, type Resolver, systemResolver, type TransportName, type TrunkAddress } from './locate.ts';
export type { PingResult } from './ping.ts';
export { type MediaTarget, parseAnswer, writeOffer } from './sdp.ts';
export type { TlsOptions } from './transport/stream.ts';
export { type Local, type Opened, shortForm } from './transport/transport.ts';
