// Calls by the media thread, as the voice channel has them: ports of a range, phrases from a bank, one clock.

import type { Worker } from 'node:worker_threads';
import { type Clip, clipNames } from '../../src/channels/voice/clip.ts';
import { classMs } from '../../src/channels/voice/media/figures.ts';
import { Media } from '../../src/channels/voice/media/media.ts';
import { type CallsMeasured, keepBusy, readOptions, warmupMs } from './calls-protocol.ts';

const options = readOptions(process.argv.slice(2));
const clipOctets = 4_000;
const bank = new Map(
  clipNames.map((name) => [name, new Uint8Array(new SharedArrayBuffer(clipOctets)).fill(0x55)] as const),
);
const phrase: Clip[] = clipNames.flatMap((clip) => [{ clip }, { silenceMs: 450 }]);

let worker: Worker | undefined;
process.on('worker', (made) => {
  worker = made;
});
const media = new Media({
  address: '127.0.0.1',
  ports: { from: 10_000, to: 19_999 },
  banks: new Map([['fr', bank]]),
  onEvent: (callId, event) => {
    if (event.kind === 'played') media.say(callId, phrase, event.token + 1);
    else throw new Error(`${callId}: ${event.kind}`);
  },
  onThreadLost: (why) => {
    throw why;
  },
});

for (let n = 0; n < options.calls; n += 1) {
  if ((await media.open(`call ${n}`, 'fr')) === null) throw new Error('no port is free');
  const { port } = options;
  media.connect(`call ${n}`, {
    address: '127.0.0.1',
    port,
    codec: 'PCMA',
    payloadType: 8,
    eventType: 101,
    held: false,
    mute: false,
  });
  media.say(`call ${n}`, phrase, 1);
}
process.send?.({ up: options.calls });
const busy = options.busy ? keepBusy() : undefined;
setTimeout(async () => {
  const before = media.figures();
  const cpuBefore = await worker?.cpuUsage();
  const startedAt = performance.now();
  setTimeout(async () => {
    const after = media.figures();
    const cpu = await worker?.cpuUsage(cpuBefore);
    const tookMs = performance.now() - startedAt;
    clearInterval(busy);
    const result: CallsMeasured = {
      sent: after.sent - before.sent,
      received: after.received - before.received,
      lateness: after.lateness.map((count, index) => count - (before.lateness[index] ?? 0)),
      classMs,
      gapMs: after.gapMs,
      cpuPercent: cpu ? (cpu.user + cpu.system) / 10 / tookMs : Number.NaN,
    };
    process.send?.(result);
    await media.stop();
    process.disconnect();
  }, options.seconds * 1000);
}, warmupMs);
