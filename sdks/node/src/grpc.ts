// `@ramz/sdk/grpc`: the same client over gRPC. Needs Node 22, @bufbuild/protobuf, @connectrpc/connect and
// @connectrpc/connect-node.

import { Resources } from './gen/resources.ts';
import { GrpcCaller, type GrpcSettings } from './grpc/caller.ts';
import { type BaseOptions, readBaseOptions, readBaseUrl } from './options.ts';
import { environment } from './runtime.ts';

/** Options of `GrpcRamz`. */
export interface GrpcOptions extends BaseOptions {
  /**
   * Where the gRPC door is: `https://verify.example:50051`, or `http://…` without TLS. Default: the environment variable
   * `RAMZ_GRPC_URL`.
   */
  baseUrl?: string | undefined;
  /** Options for `http2.connect`, e.g. `ca` for a certificate of your own. */
  nodeOptions?: GrpcSettings['nodeOptions'];
}

/**
 * A client over gRPC: the resources, options, errors and repeats of `Ramz`. Holds a connection, which keeps the process
 * alive: `close()` it at the end.
 *
 * Throws ConfigurationError where the key or the address is missing or malformed.
 */
export class GrpcRamz extends Resources {
  readonly #caller: GrpcCaller;

  constructor(options: GrpcOptions = {}) {
    const { nodeOptions } = options;
    const baseUrl = readBaseUrl(options.baseUrl ?? environment('RAMZ_GRPC_URL'), 'RAMZ_GRPC_URL');
    const caller = new GrpcCaller({ ...readBaseOptions(options), baseUrl, nodeOptions });
    super(caller);
    this.#caller = caller;
  }

  /** Ends the connection and the calls under way. Calls after it are refused with ConfigurationError. */
  close(): void {
    this.#caller.close();
  }
}
