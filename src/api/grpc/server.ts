// The native gRPC door: every service of the waist, health and reflection, on grpc-js. Calls are carried out in calls.ts; this file
// knows only the port and its lifetime.

import { type DescFile, type DescMethod, type DescService, type Message, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  logVerbosity,
  type MethodDefinition,
  Server,
  type ServerDuplexStream,
  type ServerWritableStream,
  type ServiceDefinition,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation, type ServingStatusMap } from 'grpc-health-check';
import { file_google_rpc_error_details } from '../../gen/google/rpc/error_details_pb.ts';
import { Health } from '../../gen/health/v1/health_pb.ts';
import type { Connection, Gate } from '../clients/gate.ts';
import type { Certificate } from '../port-rules.ts';
import { maxBodyBytes } from '../rest/body.ts';
import { arrival, refusals } from './arrival.ts';
import { callHandler, type Door } from './calls.ts';
import { type ListenOptions, listen } from './listener.ts';

// On metadata it can't read, grpc-js writes name and value to standard error: the value may be an API key.
setLogVerbosity(logVerbosity.NONE);

export interface GrpcOptions extends ListenOptions {
  /** Calls under way on one connection. Default 256. */
  maxConcurrentStreams?: number;
  /** Whether the services describe themselves. Default true. */
  reflection?: boolean;
  /** Time limit for the arrival of a request, ms. Default 10 000. */
  requestMs?: number;
}

export interface GrpcServer {
  port: number;
  /** Sets the answer of health checks, for every service and for the server as a whole. */
  setServing(serving: boolean): void;
  renewCertificate(certificate: Certificate): void;
  /** Takes no further connections and sends clients away (GOAWAY); resolves when the last call has ended. */
  drain(): Promise<void>;
  /** Ends the connections that are left. */
  destroy(): void;
}

/** Rejects when the port is taken. */
export async function startGrpc(door: Door & { gate: Gate }, options: GrpcOptions): Promise<GrpcServer> {
  const { waist, gate } = door;
  const server = new Server({
    'grpc.max_receive_message_length': maxBodyBytes,
    'grpc.max_concurrent_streams': options.maxConcurrentStreams ?? 256,
    // Its figures could only be read by a service that is not offered.
    'grpc.enable_channelz': 0,
    // A client that vanished without a word is found out within about a minute and a half.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.keepalive_permit_without_calls': 1,
    interceptors: [arrival(gate, refusals(door), options.requestMs)],
  });
  const services = waist.services.map(({ service }) => service);
  for (const service of services) {
    const handlers = service.methods.map((method) => [method.name, callHandler(door, method)] as const);
    server.addService(definitionOf(service), Object.fromEntries(handlers));
  }
  const statuses: ServingStatusMap = { '': 'SERVING' };
  for (const service of services) statuses[service.typeName] = 'SERVING';
  const health = new HealthImplementation(statuses);
  const lasting = lastingStreams(server, gate);
  health.addToServer(knownServices(lasting.host, statuses) as Server);
  if (options.reflection ?? true) addReflection(atPace(lasting.host), services);

  const listener = await listen(server, gate, options).catch((error: unknown) => {
    server.forceShutdown();
    throw error;
  });
  return {
    port: listener.port,
    renewCertificate: listener.renewCertificate,
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

/**
 * Streams of health and reflection. Their callers keep them open without end, so a server that stops has to end them: it would wait for
 * them until its grace is over.
 */
export interface LastingStreams {
  /** The object that such services are added to, in place of the server. */
  host: Pick<Server, 'addService'>;
  /** Ends those that are open with `unavailable`: a client that watches asks another process. */
  end(): void;
}

type Stream = ServerWritableStream<unknown, unknown>;

/** Such streams on a connection without a good key: a client has one or two. */
const mostLasting = 8;
/** Octets of a request to reflection, which names a service or a file, and stands in its answer once more. */
const mostAsked = 1_024;

/** A connection with such a stream is in use: it is not cut to make room for another one. */
function lastingStreams(server: Server, gate: Pick<Gate, 'of'>): LastingStreams {
  const open = new Set<Stream>();
  const counts = new WeakMap<Connection, number>();
  const count = (connection: Connection, change: 1 | -1): number => {
    const streams = (counts.get(connection) ?? 0) + change;
    counts.set(connection, streams);
    return streams;
  };
  const kept = (handle: (stream: Stream) => void) => (stream: Stream) => {
    const connection = gate.of(stream.getPeer());
    open.add(stream);
    connection?.begin();
    for (const event of ['cancelled', 'finish', 'close']) {
      stream.once(event, () => {
        if (!open.delete(stream) || !connection) return;
        connection.end();
        count(connection, -1);
      });
    }
    if (connection && count(connection, 1) > mostLasting && connection.cutUnproven()) return;
    handle(stream);
  };
  return {
    host: {
      addService(definition, handlers) {
        // Handlers may go by the method's name in the contract or in lower camel case.
        const streams = Object.entries(definition).filter(([, method]) => method.responseStream);
        const names = new Set(streams.flatMap(([name, { originalName }]) => [name, originalName]));
        const own = Object.entries(handlers).map(([name, handle]) => [
          name,
          names.has(name) ? kept(handle as (stream: Stream) => void) : handle,
        ]);
        server.addService(definition, Object.fromEntries(own));
      },
    },
    end() {
      const reason = { code: status.UNAVAILABLE, details: 'this process is being stopped: connect again' };
      for (const stream of open) stream.emit('error', reason);
      open.clear();
    },
  };
}

/**
 * The package notes the name of each service that is watched, whatever it is, and never forgets one: strangers could fill the process with made-up
 * ones. No service is added later, so that of another one nothing changes.
 */
function knownServices({ addService }: LastingStreams['host'], statuses: ServingStatusMap): LastingStreams['host'] {
  type Watch = ServerWritableStream<{ service: string }, { status: string }>;
  return {
    addService(definition, { watch, ...handlers }) {
      const known = (stream: Watch) => {
        if (Object.hasOwn(statuses, stream.request.service)) (watch as (stream: Watch) => void)(stream);
        else stream.write({ status: 'SERVICE_UNKNOWN' });
      };
      addService(definition, { ...handlers, watch: known });
    },
  };
}

/**
 * Of a caller that asks on and reads nothing no more is read: an answer may be all descriptors, and waits for its reader. Once the caller's next
 * request is late by that, its call ends (arrival.ts).
 */
function atPace({ addService }: LastingStreams['host']): LastingStreams['host'] {
  type Asking = ServerDuplexStream<unknown, unknown>;
  const paced = (handle: (stream: Asking) => void) => (stream: Asking) => {
    handle(stream);
    stream.on('data', () => {
      if (stream.writableNeedDrain) stream.pause().once('drain', () => stream.resume());
    });
  };
  const short = ({ requestDeserialize, ...method }: MethodDefinition<unknown, unknown>) => ({
    ...method,
    requestDeserialize: (bytes: Buffer) => {
      if (bytes.length > mostAsked) throw new Error(`longer than ${mostAsked} octets`);
      return requestDeserialize(bytes);
    },
  });
  return {
    addService(definition, handlers) {
      const methods = Object.entries(definition).map(([name, method]) => [name, short(method)] as const);
      const own = Object.entries(handlers).map(([name, handle]) => [name, paced(handle as (stream: Asking) => void)]);
      addService(Object.fromEntries(methods), Object.fromEntries(own));
    },
  };
}

/** Server reflection (v1 and v1alpha), from the generated descriptors: no proto files are needed beside the server. */
function addReflection(server: Pick<Server, 'addService'>, services: readonly DescService[]): void {
  // Health from a descriptor of protoc's own making: that of its package names the entry of a map in a way that Go's
  // clients (grpcurl, evans) refuse. No service imports the details of errors, but clients want to show them.
  const roots = [...[...services, Health].map((service) => service.file), file_google_rpc_error_details];
  const files = new Set(roots.flatMap(withImports));
  const fileDescriptorProtos = [...files].map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  // The package reads descriptors wherever an entry of a proto-loader package has them, and nothing else of it.
  const definition = {
    files: { format: 'Protocol Buffer 3 DescriptorProto', type: {}, fileDescriptorProtos },
  };
  new ReflectionService(definition as ConstructorParameters<typeof ReflectionService>[0]).addToServer(server);
}

function withImports(file: DescFile): DescFile[] {
  return [...file.dependencies.flatMap(withImports), file];
}

/**
 * Service definitions for grpc-js from our descriptors. Requests stay bytes until the handler decodes them: what can't be decoded must
 * be answered like any other bad request, and grpc-js would call it an internal error.
 */
function definitionOf(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.name, methodDefinition(method)]));
}

function methodDefinition(method: DescMethod): MethodDefinition<Buffer, Message> {
  if (method.methodKind !== 'unary' && method.methodKind !== 'server_streaming') {
    throw new Error(`${method.name}: streams of requests are not supported`);
  }
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === 'server_streaming',
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: unused,
    originalName: method.localName,
  };
}

/** Stands in for a client's half of a definition, which a server never uses. */
function unused(): never {
  throw new Error("this definition is a server's");
}
