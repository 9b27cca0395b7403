// A receiver with two addresses, to the first of which a connection takes long; its process is stopped meanwhile.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startScript } from './process.ts';
import { until } from './wait.ts';

/** Nothing listens at the second one, unless the test does. */
export const slowAddresses = ['127.0.0.1', '127.0.0.2'] as const;

/** Its first address answers no connection until `goOn`, and then every request with 204. */
export async function slowReceiver(): Promise<{ port: number; goOn(): void }> {
  const listener = startScript(join(import.meta.dirname, 'slow-listener.ts'));
  const [, text = ''] = await listener.waitFor(/listens (\d+)/);
  const port = Number(text);
  listener.signal('SIGSTOP');
  // All the connections that its kernel takes for it.
  const [host] = slowAddresses;
  const taken = Array.from({ length: 8 }, (): Socket => connect({ port, host }).on('error', () => {}));
  await until(() => taken.some(({ connecting }) => !connecting), { what: 'its line to be full' });
  onTestFinished(async () => {
    for (const socket of taken) socket.destroy();
    await listener.end('SIGKILL');
  });
  return { port, goOn: () => listener.signal('SIGCONT') };
}

/** Resolves once Node, as it is, would have given up an address that is not the last: after 250 ms. */
export async function longerThanNodeWaits(): Promise<void> {
  const startedAt = Date.now();
  await until(() => Date.now() - startedAt > 600, { what: 'Node to give up an address' });
}
