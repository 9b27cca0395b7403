// How long from the moment a call is due until its message is at the operator, at 500 a second, beside a call of a server that does
// nothing, made at the same time: the difference is the service's, the rest is the machine's.

import { HttpClient } from '../load/http-client.ts';
import { openLoop } from '../load/shapes.ts';
import { quantile } from '../measure/statistics.ts';
import type { Sample } from '../report/figures.ts';
import { startChild } from '../rig/children.ts';
import { startRig } from '../rig/rig.ts';
import { saturate } from './verifications.ts';

export async function submit(seconds: number, ratePerSecond: number): Promise<Sample[]> {
  const plain = await startChild<{ port: number }>('bench/peers/plain-http.ts');
  const client = new HttpClient({ port: plain.ready.port, headers: {} });
  try {
    const rig = await startRig();
    try {
      await saturate(rig, { seconds: 8, inFlight: 64 });
      const roundTrip = async (dueAt: number) => {
        await client.post('/', '{}');
        return performance.now() - dueAt;
      };
      const both = (measureMs: number) =>
        Promise.all([
          openLoop((dueAt) => rig.load.play(dueAt), { ratePerSecond, measureMs }),
          openLoop(roundTrip, { ratePerSecond, measureMs }),
        ]);
      await both(2_000);
      const [played, plainly] = await both(seconds * 1000);
      const waits = played.results.map(({ toSubmitMs }) => toSubmitMs);
      return [0.5, 0.99].map((share) => ({
        key: `latency_p${share * 100}_at_${ratePerSecond}`,
        unit: 'ms',
        value: quantile(waits, share),
        reference: quantile(plainly.results, share),
      }));
    } finally {
      await rig.close();
    }
  } finally {
    client.close();
    await plain.stop();
  }
}
