// CPU of an SMPP client per message: submit_sm, its answer, the receipt and its acknowledgement. Ours beside npm `smpp`.

import { startSmsc } from '../load/smsc.ts';
import type { SmppMeasured, SmppTask } from '../peers/smpp-protocol.ts';
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
    const { cpuUs, messages } = await played(program, { port: smsc.port, seconds });
    return cpuUs / messages;
  } finally {
    await smsc.close();
  }
}

/** What a client of bench/peers has measured. */
export async function played(program: string, task: SmppTask): Promise<SmppMeasured> {
  const child = await startChild<SmppMeasured>(program, { args: [JSON.stringify(task)] });
  await child.stop();
  return child.ready;
}
