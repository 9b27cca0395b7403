// Streams of health and reflection: their callers keep them open for ever, so a server that stops has to end them, or it
// would wait for them until its grace is over.

import { type Server, type ServerWritableStream, status } from '@grpc/grpc-js';
import type { Gate } from '../clients/gate.ts';

export interface LastingStreams {
  /** What such services are added to, in place of the server. */
  host: Pick<Server, 'addService'>;
  /** Ends those that are open with `unavailable`: whoever watched asks elsewhere. */
  end(): void;
}

type Stream = ServerWritableStream<unknown, unknown>;

/** A connection with such a stream is in use: it is not cut to make room for another one. */
export function lastingStreams(server: Server, gate: Pick<Gate, 'of'>): LastingStreams {
  const open = new Set<Stream>();
  const kept = (handle: (stream: Stream) => void) => (stream: Stream) => {
    const connection = gate.of(stream.getPeer());
    open.add(stream);
    connection?.begin();
    for (const event of ['cancelled', 'finish', 'close']) {
      stream.once(event, () => {
        if (open.delete(stream)) connection?.end();
      });
    }
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
