// The native gRPC door: every service of the waist, health and reflection, on grpc-js. What a call does is in calls.ts.

import { Server } from '@grpc/grpc-js';
import { HealthImplementation, type ServingStatusMap } from 'grpc-health-check';
import type { ClientAddresses } from '../clients/address.ts';
import type { Gate } from '../clients/gate.ts';
import { maxBodyBytes } from '../rest/body.ts';
import type { Waist } from '../waist/invoke.ts';
import { callHandler } from './calls.ts';
import { definitionOf } from './definition.ts';
import { lastingStreams } from './lasting-streams.ts';
import { type ListenOptions, listen } from './listener.ts';
import { addReflection } from './reflection.ts';

export interface GrpcOptions extends ListenOptions {
  /** Calls under way on one connection. Default 256. */
  maxConcurrentStreams?: number;
}

export interface GrpcServer {
  port: number;
  /** What health checks hear, of every service and of the server as a whole. */
  setServing(serving: boolean): void;
  /** Takes no further connections and tells clients to go away (GOAWAY); resolves when the last call has ended. */
  drain(): Promise<void>;
  /** Ends what is left. */
  destroy(): void;
}

/** Rejects when the port is taken. */
export async function startGrpc(
  { waist, gate, addresses }: { waist: Waist; gate: Gate; addresses: ClientAddresses },
  options: GrpcOptions,
): Promise<GrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': maxBodyBytes,
    'grpc.max_concurrent_streams': options.maxConcurrentStreams ?? 256,
    // Its figures could only be read by a service that is not offered.
    'grpc.enable_channelz': 0,
    // A client that vanished without a word is found out within about a minute and a half.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.keepalive_permit_without_calls': 1,
  });
  const door = { waist, gate, addresses };
  const services = waist.services.map(({ service }) => service);
  for (const service of services) {
    const handlers = service.methods.map((method) => [method.name, callHandler(door, method)] as const);
    server.addService(definitionOf(service), Object.fromEntries(handlers));
  }
  const statuses: ServingStatusMap = { '': 'SERVING' };
  for (const service of services) statuses[service.typeName] = 'SERVING';
  const health = new HealthImplementation(statuses);
  const lasting = lastingStreams(server, gate);
  health.addToServer(lasting.host as Server);
  addReflection(lasting.host, services);

  const listener = await listen(server, gate, options).catch((error: unknown) => {
    server.forceShutdown();
    throw error;
  });
  return {
    port: listener.port,
    setServing(serving) {
      for (const name of Object.keys(statuses)) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    },
    async drain() {
      lasting.end();
      const ended = new Promise<void>((resolve, reject) =>
        server.tryShutdown((error) => (error ? reject(error) : resolve())),
      );
      await Promise.all([listener.close(), ended]);
    },
    destroy() {
      server.forceShutdown();
      listener.destroy();
    },
  };
}
