// The other end, in a thread of its own: reports a request, and answers when the asker's thread has stopped. See late-reader.ts.
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { state, answer } = workerData as { state: Int32Array; answer: Uint8Array };
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    parentPort!.postMessage('asked');
    Atomics.wait(state, 0, 0);
    socket.write(answer, () => {
      Atomics.store(state, 0, 2);
      Atomics.notify(state, 0);
    });
  });
});
server.listen(0, '127.0.0.1', () => parentPort!.postMessage(server.address()));
