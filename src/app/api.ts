// The API of a process: its services, its two ports, and what else they answer (health, metrics, callbacks, the signup's page).

import { clientAddresses } from '../api/clients/address.ts';
import type { Refusals } from '../api/clients/refusals.ts';
import { type Api, startApi } from '../api/server.ts';
import type { Authenticator } from '../api/waist/ports.ts';
import type { Slots } from '../engine/fleet/slots.ts';
import type { Base } from './base.ts';
import { callLimiter } from './call-limiter.ts';
import type { ChannelSet } from './channels.ts';
import type { Housekeeper } from './housekeeper.ts';
import { readiness } from './readiness.ts';
import { type ServiceParts, services } from './services.ts';
import { signupPages } from './signup.ts';

export interface ApiParts extends Omit<ServiceParts, 'waba' | 'publicUrl'> {
  authenticator: Authenticator;
  refusals: Refusals;
  reach: ChannelSet;
  slots: Slots;
  housekeeper: Housekeeper;
}

/** @throws when a port is taken; nothing is left open. */
export async function openApi(base: Base, parts: ApiParts): Promise<Api> {
  const { live, watch, now, logger, metrics, observe } = base;
  const { reach, authenticator, refusals, slots, housekeeper } = parts;
  const { server } = live.config;
  let ownUrl = '';
  const addresses = clientAddresses(() => live.config.trustedProxies);
  const limiter = callLimiter(() => live.config.limits.accountCallsPerSecond, now);
  const { waba } = reach;
  const publicUrl = () => live.config.service.publicBaseUrl ?? ownUrl;
  const api = await startApi({
    services: services(base, { ...parts, waba, publicUrl }),
    authenticator,
    logger,
    observer: observe.call,
    openRegistration: server.openRegistration,
    rateLimiter: limiter,
    refusals,
    addresses,
    unauthenticatedConnectionsPerAddress: () => live.config.limits.unauthenticatedConnectionsPerAddress,
    http: { host: server.host, port: server.port, ...tls(server.httpTls) },
    grpc: { host: server.host, port: server.grpcPort, ...tls(server.grpcTls) },
    hooks: {
      readiness: readiness({ db: watch.db as never, sms: reach.sms, slots, housekeeper }),
      mounts: [...reach.callbacks, signupPages({ waba, live, addresses, limiter, logger })],
      metrics: async () => ({ contentType: metrics.register.contentType, body: await metrics.register.metrics() }),
    },
  });
  ownUrl = `${server.httpTls ? 'https' : 'http'}://localhost:${api.httpPort}`;
  return api;
}

/** The certificate and its key as they were read, where the port is to speak TLS. */
const tls = (files: { cert: string; key: string } | null | undefined) =>
  files ? { tls: { cert: Buffer.from(files.cert), key: Buffer.from(files.key) } } : {};
