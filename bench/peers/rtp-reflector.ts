// The other end of all calls, in a process of its own: every packet goes back to where it came from.

import { createSocket } from 'node:dgram';

// Packets of a few milliseconds wait here while this process has no processor.
const recvBufferSize = 4 * 2 ** 20;
const socket = createSocket({ type: 'udp4', recvBufferSize, lookup: (address, _, done) => done(null, address, 4) });
socket.on('message', (packet, { port, address }) => socket.send(packet, port, address));
socket.on('error', () => {});
socket.bind(0, '127.0.0.1', () => process.send?.({ port: socket.address().port }));
process.on('disconnect', () => process.exit(0));
