// A receiver that takes one connection at a time from the kernel, and none while it is stopped: started by slow-receiver.ts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  console.log(`listens ${(server.address() as AddressInfo).port}`);
});
