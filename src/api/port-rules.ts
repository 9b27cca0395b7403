// What holds at every port of the API: versions and suites of TLS, the certificate and its renewal, the form of a request's target, and the headers that every response has, so that a
// browser takes none of them for something else. They are explicit, because a flag, a variable or another build of Node changes Node's own defaults.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from 'node:tls';

/** TLS 1.2 and 1.3, with suites that have forward secrecy and authenticated encryption (RFC 9325, section 4.2). */
export const tlsRules = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
} as const;

/** Texts in PEM. */
export interface Certificate {
  /** Without a passphrase. */
  key: string;
  /** The whole chain, the port's own first. */
  cert: string;
}

/**
 * Handshakes from now on have this certificate, and connections that are up go on: certificates last for weeks, and a restart for each would end
 * every stream. A port without TLS stays as it is.
 */
export function renewCertificate(server: object, certificate: Certificate): void {
  if (server instanceof Server) server.setSecureContext({ ...tlsRules, ...certificate });
}

/** A page replaces the policy by its own. Without CORS headers no page of another origin reads a response, and by the last one none embeds it. */
export const responseHeaders: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-resource-policy', 'same-origin'],
];

export function setResponseHeaders(response: ServerResponse): void {
  for (const [name, value] of responseHeaders) response.setHeader(name, value);
}

/** The path and query of a request. One that was made for a proxy names the whole address (RFC 9112 section 3.2.2). */
export function targetOf({ url = '/' }: IncomingMessage): string {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  return target === '' || target.startsWith('?') ? `/${target}` : target;
}
