// The certificate of a port that ends TLS itself, and its renewal while the port is open: certificates last for weeks, and a restart for each
// would end every stream.

import { Server } from 'node:tls';
import { tlsRules } from './port-rules.ts';

/** Texts in PEM. */
export interface Certificate {
  /** Without a passphrase. */
  key: string;
  /** The whole chain, the port's own first. */
  cert: string;
}

/** Handshakes from now on have this certificate, and connections that are up go on. A port without TLS stays as it is. */
export function renewCertificate(server: object, certificate: Certificate): void {
  if (server instanceof Server) server.setSecureContext({ ...tlsRules, ...certificate });
}
