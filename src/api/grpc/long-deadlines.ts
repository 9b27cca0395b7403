// Deadlines of weeks. grpc-js counts a deadline in 32 bits of milliseconds: one that is 25 days away or more would be over at once, or at any
// other time.

import type { Http2Server, IncomingHttpHeaders } from 'node:http2';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import { boundTimeout } from '../waist/long-timeouts.ts';

/** What grpc-js has and its types don't. */
interface Serving {
  createHttp2Server(credentials: ServerCredentials): Http2Server;
}

/** Shortens such deadlines before grpc-js reads them. Called before the server gets a port. */
export function boundDeadlines(server: Server): void {
  const serving = server as unknown as Serving;
  const create = serving.createHttp2Server;
  serving.createHttp2Server = (credentials) => {
    const http2 = create.call(serving, credentials);
    http2.prependListener('stream', (_: unknown, headers: IncomingHttpHeaders) =>
      boundTimeout(headers, 'grpc-timeout'),
    );
    return http2;
  };
}
