// A program: makes many calls, each holding a buffer while it waits, with young collections all the time, and says how much of the
// buffers is still there. To be run with a small young generation.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { exchange } from '../../../src/http/exchange.ts';

const calls = 400;
const heldBytes = 20_000;

const server = createServer((_, response) => response.writeHead(200).end('ok'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const agent = new Agent();

async function call(): Promise<number | undefined> {
  const held = Buffer.allocUnsafe(heldBytes);
  await exchange(agent, { method: 'POST', url, headers: {}, body: 'x', timeoutMs: 10_000, maxBodyBytes: 100 });
  return held[0];
}

const rubbish: unknown[] = [];
for (let n = 0; n < calls; n += 1) {
  const answered = call();
  for (let k = 0; k < 5_000; k += 1) rubbish[k % 10] = { k, list: [k, k, k, k] };
  await answered;
}
process.stdout.write(`${process.memoryUsage().arrayBuffers / (calls * heldBytes)}\n`);
server.closeAllConnections();
server.close();
await agent.close();
