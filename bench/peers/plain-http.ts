// An HTTP server that answers every call at once, in a process of its own: what a call costs on this machine before anybody does anything.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  response.end('{}');
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
// The bench may be broken off without a word to its children.
process.once('disconnect', () => process.exit());
