// CPU of an SMPP client per message: submit_sm, its answer, the receipt and its acknowledgement. Ours beside npm `smpp`.

import { startSmsc } from '../load/smsc.ts';
import type { SmppMeasured } from '../peers/smpp-protocol.ts';
import type { Sample } from '../report/figures.ts';
import { startChild } from '../rig/children.ts';

const receiptAfterMs = 5;

export async function smpp(seconds: number): Promise<Sample[]> {
  const ours = await cpuPerMessage('bench/peers/smpp-ours.ts', seconds);
  const theirs = await cpuPerMessage('bench/peers/smpp-npm.ts', seconds);
  return [{ key: 'smpp', unit: 'µs CPU/message', value: ours, reference: theirs }];
}

async function cpuPerMessage(program: string, seconds: number): Promise<number> {
  const smsc = await startSmsc({ receiptAfterMs });
  try {
    const child = await startChild<SmppMeasured>(program, { args: [String(smsc.port), String(seconds)] });
    await child.stop();
    return child.ready.cpuUs / child.ready.messages;
  } finally {
    await smsc.close();
  }
}
