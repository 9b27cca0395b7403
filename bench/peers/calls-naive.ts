// The reference: calls with a timer and a socket each, in the main thread, beside its other work. Each timer aims at its own grid of
// 20 ms, so that calls do not drift.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type CallsMeasured, frameMs, keepBusy, readOptions, warmupMs } from './calls-protocol.ts';

const options = readOptions(process.argv.slice(2));
const classMs = 0.1;
const lateness = new Array<number>(10_001).fill(0);
let [sent, received, gapMs] = [0, 0, 0];
let measuring = false;

async function startCall(index: number): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.connect(options.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('message', () => {
    if (measuring) received += 1;
  });
  const packet = Buffer.alloc(172, 0xd5);
  packet.writeUInt16BE(0x8008);
  packet.writeUInt32BE(index, 8);
  let dueAt = performance.now() + (index * frameMs) / options.calls;
  let [sequence, sentAt] = [0, 0];
  const frame = () => {
    const now = performance.now();
    sequence += 1;
    packet.writeUInt16BE(sequence & 0xffff, 2);
    packet.writeUInt32BE((sequence * 160) >>> 0, 4);
    socket.send(packet);
    if (measuring) {
      sent += 1;
      const at = Math.min(lateness.length - 1, Math.floor((now - dueAt) / classMs));
      lateness[at] = (lateness[at] ?? 0) + 1;
      gapMs = Math.max(gapMs, now - sentAt);
    }
    sentAt = now;
    dueAt += frameMs;
    setTimeout(frame, Math.max(1, dueAt - performance.now()));
  };
  frame();
}

await Promise.all(Array.from({ length: options.calls }, (_, index) => startCall(index)));
process.send?.({ up: options.calls });
if (options.busy) keepBusy();
setTimeout(() => {
  measuring = true;
  const before = process.threadCpuUsage();
  const startedAt = performance.now();
  setTimeout(() => {
    measuring = false;
    const cpu = process.threadCpuUsage(before);
    const cpuPercent = (cpu.user + cpu.system) / 10 / (performance.now() - startedAt);
    const result: CallsMeasured = { sent, received, lateness, classMs, gapMs, cpuPercent };
    process.send?.(result, () => process.exit(0));
  }, options.seconds * 1000);
}, warmupMs);
