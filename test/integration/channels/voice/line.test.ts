// The settings of a trunk that its signalling alone is made with.

import { expect, onTestFinished, test } from 'vitest';
import { Line } from '../../../../src/channels/voice/line.ts';
import type { TrunkConfig } from '../../../../src/config.ts';
import { until } from '../../../support/wait.ts';
import { trunkConfig } from '../../../unit/channels/voice/support.ts';
import { rawPeer, request } from '../../sip/raw-peer.ts';

/** A line to a raw socket, and the port that it asks from. */
async function lineWith(change: Partial<TrunkConfig>) {
  const peer = await rawPeer();
  const dropped: string[] = [];
  const config = trunkConfig({ address: `127.0.0.1:${peer.port}`, optionsSeconds: 60, ...change });
  const line = new Line(config, { onDropped: (_, why) => dropped.push(why) });
  onTestFinished(() => line.close());
  const [, port] = await until(() => /^Via: .*127\.0\.0\.1:(\d+)/m.exec(peer.heard[0] ?? ''), { what: 'OPTIONS' });
  return { port: Number(port), dropped };
}

test.skipIf(process.platform !== 'linux')(
  'a trunk is heard from the addresses of also_from, and no others',
  async () => {
    const { port, dropped } = await lineWith({ alsoFrom: ['127.0.2.0/24'] });
    const [stranger, cluster] = [await rawPeer('127.0.3.1'), await rawPeer('127.0.2.1')];
    stranger.send(request('OPTIONS', stranger.port), port);
    cluster.send(request('OPTIONS', cluster.port), port);
    await until(() => cluster.heard[0]?.startsWith('SIP/2.0 200'), { what: 'the answer' });
    await until(() => dropped.length === 1, { what: 'the stranger to be dropped' });
    expect([stranger.heard, dropped]).toEqual([[], ['stranger']]);
  },
);
