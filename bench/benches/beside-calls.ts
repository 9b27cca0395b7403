// What 200 calls in the same process cost the callers of the API: the wait for the answer to a send at a steady rate, without calls and
// then beside them. The phones are a process of their own, on a SIP stack that is not ours.

import { setTimeout as sleep } from 'node:timers/promises';
import { openLoop } from '../load/shapes.ts';
import { prefixes } from '../load/verifications.ts';
import { quantile } from '../measure/statistics.ts';
import type { Sample } from '../report/figures.ts';
import { startChild } from '../rig/children.ts';
import { type Rig, startRig } from '../rig/rig.ts';

const sendsPerSecond = 500;
const callsUp = 200;
/** A call that is heard twice lasts some 25 s: so many a second keep the wanted number up. */
const callsPerSecond = 9;
const rampMs = 60_000;

export async function besideCalls(seconds: number): Promise<Sample[]> {
  const phones = await startChild<{ voice: object }>('bench/peers/phones.ts');
  try {
    const rig = await startRig({ config: phones.ready });
    try {
      await answers(rig, 3);
      const without = await answers(rig, seconds);
      const calls = new Calls(rig);
      await calls.up(callsUp);
      const beside = await answers(rig, seconds);
      const up = await calls.count();
      calls.stop();
      return [
        { key: 'answer_p50_beside_calls', unit: 'ms', value: quantile(beside, 0.5), reference: quantile(without, 0.5) },
        {
          key: 'answer_p99_beside_calls',
          unit: 'ms',
          value: quantile(beside, 0.99),
          reference: quantile(without, 0.99),
        },
        { key: 'calls_beside', unit: 'calls', value: up },
      ];
    } finally {
      await rig.close();
    }
  } finally {
    await phones.stop();
  }
}

/** Waits from the moment a send was due to its answer, ms. */
async function answers(rig: Rig, seconds: number): Promise<number[]> {
  const shape = { ratePerSecond: sendsPerSecond, measureMs: seconds * 1000 };
  const { results } = await openLoop((dueAt) => rig.load.play(dueAt), shape);
  return results.map(({ toAnswerMs }) => toAnswerMs);
}

/** Calls that are placed at a steady rate until `stop`. */
class Calls {
  readonly #rig: Rig;
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  constructor(rig: Rig) {
    this.#rig = rig;
    this.#timer = setInterval(() => void this.#place(), 1000 / callsPerSecond);
  }

  /** Resolves once so many are up. @throws when they are not within a minute. */
  async up(wanted: number): Promise<void> {
    for (const until = Date.now() + rampMs; Date.now() < until; await sleep(250)) {
      if ((await this.count()) >= wanted) return;
    }
    throw new Error(`only ${await this.count()} of ${wanted} calls are up`);
  }

  async count(): Promise<number> {
    return Number(/^ramz_trunk_calls_up\{.*\} (\d+)/m.exec((await this.#rig.metrics())[0] ?? '')?.[1] ?? 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #place(): Promise<void> {
    this.#next += 1;
    const to = `${prefixes[0]}9${String(this.#next).padStart(6, '0')}`;
    await this.#rig.send({ to, channel: 'voice', language: 'fr' });
  }
}
