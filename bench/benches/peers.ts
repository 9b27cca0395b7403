// One SMS through an HTTP call, with its receipt back by HTTP and everything stored on the way: CPU of ours (server and Postgres, no
// check) beside Kannel's (bearerbox, smsbox and Postgres), at the same kind of SMSC.

import { closedLoop } from '../load/shapes.ts';
import { startSmsc } from '../load/smsc.ts';
import { startWebhookSink } from '../load/webhook-sink.ts';
import { cpuWithChildrenUs } from '../measure/cpu.ts';
import { hasKannel, startKannel } from '../peers/kannel.ts';
import type { Sample } from '../report/figures.ts';
import { type Rig, startRig } from '../rig/rig.ts';

const inFlight = 64;
const warmupMs = 5_000;
const receiptAfterMs = 20;
/** What takes longer is lost, and the bench says so and ends. */
const patienceMs = 20_000;

export async function peers(seconds: number): Promise<Sample[]> {
  const rig = await startRig({ receiptAfterMs });
  try {
    const value = await ours(rig, seconds);
    const beside = hasKannel() ? { reference: await kannels(rig, seconds) } : {};
    if (!hasKannel()) process.stderr.write('bench: Kannel is not installed (bench/apt.txt): ours stands alone\n');
    return [{ key: 'message', unit: 'µs CPU/message', value, ...beside }];
  } finally {
    await rig.close();
  }
}

function ours(rig: Rig, seconds: number): Promise<number> {
  const used = () => {
    const { serverUs, postgresUs } = rig.cpu();
    return serverUs + postgresUs;
  };
  return perMessage(() => rig.load.play(performance.now(), { end: 'receipt' }), used, seconds);
}

async function kannels({ database }: Rig, seconds: number): Promise<number> {
  const waiting = new Map<string, () => void>();
  const smsc = await startSmsc({ receiptAfterMs });
  const sink = await startWebhookSink((_, target) => {
    const number = new URL(target, 'http://sink').searchParams.get('to') ?? '';
    waiting.get(number)?.();
    waiting.delete(number);
  });
  try {
    const options = { databaseUrl: database.url, smscPort: smsc.port, reportUrl: sink.url };
    const kannel = await startKannel(options);
    try {
      let next = 0;
      const play = async () => {
        next += 1;
        const number = `+21355${String(next).padStart(7, '0')}`;
        const reported = new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`no receipt of ${number} came from Kannel`)), patienceMs);
          waiting.set(number, () => {
            clearTimeout(timer);
            resolve();
          });
        });
        await kannel.send(number, 'Ramz: 123456 is your code. Do not share it.');
        await reported;
      };
      return await perMessage(play, () => kannel.cpuUs() + cpuWithChildrenUs(database.pid), seconds);
    } finally {
      await kannel.close();
    }
  } finally {
    await Promise.all([smsc.close(), sink.close()]);
  }
}

async function perMessage(play: () => Promise<unknown>, usedUs: () => number, seconds: number): Promise<number> {
  let [before, after] = [0, 0];
  const { results } = await closedLoop(
    play,
    { inFlight, warmupMs, measureMs: seconds * 1000 },
    {
      onMeasure: () => {
        before = usedUs();
      },
      onMeasured: () => {
        after = usedUs();
      },
    },
  );
  return (after - before) / results.length;
}
