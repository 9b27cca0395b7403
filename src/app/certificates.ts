// The certificates of the ports: how long they hold, and those that a reload (SIGHUP) finds in their files. A port is told only of another
// one: a new context of TLS makes every client's session ticket worthless.

import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Api } from '../api/server.ts';
import type { Doors } from '../config/doors.ts';
import type { TlsIdentity } from '../config/tls-identity.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

type Identities = Pick<Doors, 'httpTls' | 'grpcTls'>;

export interface CertificateParts {
  api: Pick<Api, 'renewCertificates'>;
  metrics: Pick<Metrics, 'certificateExpiry'>;
  logger: Logger;
}

const portOf = { httpTls: 'http', grpcTls: 'grpc' } as const satisfies Record<keyof Identities, string>;

/** To be called with each configuration that was read again. A port that gains or loses its certificate needs a restart (config/diff). */
export function certificateRenewal(
  { httpTls, grpcTls }: Identities,
  { api, metrics, logger }: CertificateParts,
): (next: Identities) => void {
  const inForce = { httpTls, grpcTls };
  const observe = (door: keyof Identities, { cert }: TlsIdentity): Date => {
    const until = new X509Certificate(cert).validToDate;
    metrics.certificateExpiry.set({ port: portOf[door] }, until.getTime() / 1000);
    return until;
  };
  if (httpTls) observe('httpTls', httpTls);
  if (grpcTls) observe('grpcTls', grpcTls);

  const renewed = (door: keyof Identities, next: TlsIdentity | null): TlsIdentity | null => {
    if (inForce[door] === null || next === null || isDeepStrictEqual(inForce[door], next)) return null;
    inForce[door] = next;
    logger.info({ port: portOf[door], valid_until: observe(door, next).toISOString() }, 'a new certificate is in use');
    return next;
  };
  return (next) =>
    api.renewCertificates({ http: renewed('httpTls', next.httpTls), grpc: renewed('grpcTls', next.grpcTls) });
}
