// Takes webhooks and answers 204 at once. Bare sockets, for the same reason as http-client.ts; signatures are not checked here
// (the tests do that): what is measured is the sender.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface WebhookSink {
  url: string;
  close(): Promise<void>;
}

const answer = 'HTTP/1.1 204 No Content\r\n\r\n';

/** `onWebhook` gets the body of each, and the path with its query. */
export async function startWebhookSink(onWebhook: (body: string, target: string) => void): Promise<WebhookSink> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let held: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (let whole = takeRequest(held); whole; whole = takeRequest(held)) {
        held = held.subarray(whole.octets);
        onWebhook(whole.body, whole.target);
        socket.write(answer);
      }
    });
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first request in these bytes, null while it is not whole. */
function takeRequest(bytes: Buffer): { body: string; target: string; octets: number } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const octets = end + 4 + length;
  if (bytes.length < octets) return null;
  return { body: bytes.toString('utf8', end + 4, octets), target: head.split(' ')[1] ?? '', octets };
}
