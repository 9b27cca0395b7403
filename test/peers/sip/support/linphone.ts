// Linphone's console telephone as a callee of another family: it answers by itself, presses keys by command, and records what it hears.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder } from '../../../support/folder.ts';
import { startProcess } from '../../../support/process.ts';
import { toolPath } from '../../../support/tool.ts';
import { until } from '../../../support/wait.ts';
import { freePort, isBound } from './sipp.ts';

export interface Linphone {
  port: number;
  /** WAV of what it heard; complete once it has stopped. */
  recording: string;
  output(): string;
  press(key: string): void;
  stop(): Promise<void>;
}

export async function startLinphone(): Promise<Linphone> {
  const folder = testFolder('linphone');
  const [port, rtpPort] = [freePort(), freePort()];
  const recording = join(folder, 'heard.wav');
  await mkdir(join(folder, '.local', 'share', 'linphone'), { recursive: true });
  await writeFile(join(folder, 'linphonerc'), configuration(port, rtpPort));
  const phone = startProcess(toolPath('linphonec') ?? 'linphonec', {
    cwd: folder,
    env: { HOME: folder },
    args: ['-c', join(folder, 'linphonerc'), '-a'],
  });
  await phone.waitFor(/linphonec>/);
  await until(() => isBound('udp6', port) || isBound('udp', port), { what: 'linphonec to listen' });
  phone.write(`soundcard use files\nrecord ${recording}\n`);
  await phone.waitFor(/Using wav files/);
  return {
    port,
    recording,
    output: phone.output,
    press: (key) => phone.write(`${key}\n`),
    stop: async () => {
      phone.write('quit\n');
      await phone.exit();
    },
  };
}

const configuration = (port: number, rtpPort: number): string => `[sip]
sip_port=${port}
sip_tcp_port=0
use_ipv6=0
auto_net_state_mon=0
use_rfc2833=1
use_info=0
guess_hostname=0
contact=sip:callee@127.0.0.1
default_proxy=-1
[rtp]
audio_rtp_port=${rtpPort}
[sound]
echocancellation=0
echolimiter=0
[net]
mtu=0
`;
