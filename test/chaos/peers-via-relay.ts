// Loaded into each server of a run before its own code: its connections to other processes go through the driver's relay
// (relay.ts), and the driver learns which peer port is whose. The servers themselves know of neither.
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';

const { CHAOS_RELAY_PORT, CHAOS_NAME } = process.env;
const { connect, createServer } = tls;

Object.assign(tls, {
  connect(...given: unknown[]) {
    const options = given[0] as tls.ConnectionOptions;
    if (!options.pskCallback) return (connect as (...same: unknown[]) => tls.TLSSocket)(...given);
    const socket = net.connect(Number(CHAOS_RELAY_PORT), '127.0.0.1');
    socket.setNoDelay(true);
    socket.write(`${CHAOS_NAME} ${options.port}\n`);
    const secured = connect({ ...options, socket });
    socket.on('error', (error) => secured.destroy(error));
    secured.on('close', () => socket.destroy());
    return secured;
  },
  createServer(options: tls.TlsOptions, onSecure?: (socket: tls.TLSSocket) => void) {
    const server = createServer(options, onSecure);
    if (!options.pskCallback) return server;
    return server.on('listening', () => process.send?.({ kind: 'peer', port: (server.address() as AddressInfo).port }));
  },
});
