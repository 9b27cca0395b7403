// The two ports of the API and the one for its measures, started and stopped together: a process that serves one of them alone would be
// half ready. A stop lets the calls under way end.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ClientAddresses, clientAddresses } from './clients/address.ts';
import { Gate } from './clients/gate.ts';
import { type GrpcOptions, startGrpc } from './grpc/server.ts';
import { createHttpServer, type HttpHooks, type HttpTimeouts } from './http.ts';
import { type MetricsPortOptions, type MetricsPortParts, openMetricsPort } from './metrics-port.ts';
import { type Certificate, renewCertificate } from './port-rules.ts';
import { createWaist, type WaistOptions } from './waist/invoke.ts';

export interface ApiOptions extends WaistOptions {
  /** `tls`: PEM; without it the port speaks plain HTTP. */
  http: {
    host: string;
    port: number;
    timeouts?: HttpTimeouts;
    maxConnections?: number;
    tls?: Certificate;
  };
  grpc: GrpcOptions;
  /** Default: there is no such port. */
  metrics?: MetricsPortOptions & Pick<MetricsPortParts, 'metrics'>;
  hooks?: HttpHooks;
  /** The address of a call's caller. Default: no proxy is trusted. */
  addresses?: ClientAddresses;
  /** Connections of one address at one port that have not yet carried a call with a good key. Default 256. */
  unauthenticatedConnectionsPerAddress?: () => number;
}

export interface Api {
  httpPort: number;
  grpcPort: number;
  metricsPort: number | null;
  /** Sets the answer of `grpc.health.v1`; `/readyz` asks its hook. */
  setServing(serving: boolean): void;
  /** Of the ports that have one already. The metrics port has that of HTTP. */
  renewCertificates(certificates: { http: Certificate | null; grpc: Certificate | null }): void;
  /**
   * Stops: `/readyz` 503 and health NOT_SERVING at once, `announceMs` (default 0) later no new connections, streams end with
   * `unavailable`, calls under way finish; what is left after `graceMs` is cut off. Calling it again waits for the same end.
   */
  close(graceMs: number, announceMs?: number): Promise<void>;
}

/** Rejects, and leaves nothing open, when a port is taken. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const waist = createWaist(options);
  const { addresses = clientAddresses(() => []) } = options;
  const perAddress = options.unauthenticatedConnectionsPerAddress ?? (() => 256);
  const newGate = () => new Gate({ perAddress, isTrusted: addresses.isTrusted });
  let closing: Promise<void> | undefined;
  const http = createHttpServer({
    waist,
    addresses,
    gate: newGate(),
    logger: options.logger,
    ...(options.hooks ? { hooks: options.hooks } : {}),
    ...(options.http.timeouts ? { timeouts: options.http.timeouts } : {}),
    ...(options.http.maxConnections === undefined ? {} : { maxConnections: options.http.maxConnections }),
    ...(options.http.tls ? { tls: options.http.tls } : {}),
    stopping: () => closing !== undefined,
  });
  http.listen(options.http.port, options.http.host);
  await once(http, 'listening');
  const grpc = await startGrpc({ waist, addresses, gate: newGate(), logger: options.logger }, options.grpc).catch(
    (error: unknown) => {
      http.close();
      throw error;
    },
  );
  const metrics = await openMetrics(options, () => closing !== undefined).catch(async (error: unknown) => {
    http.close();
    await grpc.drain();
    throw error;
  });

  const stop = async (graceMs: number, announceMs: number): Promise<void> => {
    grpc.setServing(false);
    if (announceMs > 0) await new Promise((resolve) => setTimeout(resolve, announceMs));
    waist.stopStreams();
    const httpClosed = new Promise<void>((resolve) => http.close(() => resolve()));
    const drained = Promise.all([httpClosed, grpc.drain()]);
    const cut = setTimeout(() => {
      http.closeAllConnections();
      grpc.destroy();
    }, graceMs);
    await drained.finally(() => clearTimeout(cut));
    grpc.destroy();
    // Last: how a process comes to its end is worth a look, too.
    metrics?.close();
  };
  return {
    httpPort: (http.address() as AddressInfo).port,
    grpcPort: grpc.port,
    metricsPort: metrics?.port ?? null,
    setServing: grpc.setServing,
    renewCertificates(next) {
      if (next.http) renewCertificate(http, next.http);
      if (next.http) metrics?.renewCertificate(next.http);
      if (next.grpc) grpc.renewCertificate(next.grpc);
    },
    close(graceMs, announceMs = 0) {
      closing ??= stop(graceMs, announceMs);
      return closing;
    },
  };
}

async function openMetrics({ metrics, hooks, logger }: ApiOptions, stopping: () => boolean) {
  if (!metrics) return null;
  const readiness = hooks?.readiness ?? (async () => ({ ready: true }));
  return openMetricsPort(metrics, { metrics: metrics.metrics, readiness, stopping, logger });
}
