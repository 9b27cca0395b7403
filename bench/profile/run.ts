// Profiles the server under load, draws the flame graph, and tells where the time of a verification goes.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Arguments } from '../arguments.ts';
import { saturate } from '../benches/verifications.ts';
import { writeIntoDocument } from '../report/document.ts';
import { startRig } from '../rig/rig.ts';
import { flameGraph } from './flame.ts';
import { byModule, type CpuProfile, folded, grouped, type Stack, stacksOf } from './profile.ts';

/** So long that nearly everything is compiled before the part that counts. */
const warmupSeconds = 15;
const profiledSeconds = 10;

export async function profile({ inFlight, docs }: Arguments, say: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ramz-profile-'));
  try {
    const startedAt = performance.now();
    const rig = await startRig({ profileTo: directory });
    let measured: Awaited<ReturnType<typeof saturate>>;
    let endedAt: number;
    try {
      say('warming up …');
      await saturate(rig, { seconds: warmupSeconds, inFlight });
      say('profiling …');
      measured = await saturate(rig, { seconds: profiledSeconds, inFlight });
      endedAt = performance.now();
    } finally {
      await rig.close();
    }
    const [name = ''] = readdirSync(directory).filter((each) => each.endsWith('.cpuprofile'));
    const recorded = JSON.parse(readFileSync(join(directory, name), 'utf8')) as CpuProfile;
    // Both clocks began when the server was started, to some hundred ms: enough to find ten seconds.
    const toUs = (endedAt - startedAt) * 1000;
    const stacks = stacksOf(recorded, toUs - profiledSeconds * 1e6, toUs).map(folded);
    const { serverUs, postgresUs, driverUs } = measured.cpu;
    const perSecond = measured.results.length / measured.seconds;
    const told = tell(stacks, { serverUs, postgresUs, driverUs, perSecond });
    say(`\n${told}`);
    if (docs) writeIntoDocument('profile', told);
    const path = fileURLToPath(new URL('../../docs/img/flame.svg', import.meta.url));
    mkdirSync(join(path, '..'), { recursive: true });
    const drawn = stacks.map((stack) => grouped(stack, partOf));
    const title = `One verification in the server process: ${Math.round(serverUs)} µs of CPU`;
    writeFileSync(path, flameGraph(drawn, { title, total: serverUs, unit: 'µs' }));
    say(`\ndrawn: docs/img/flame.svg`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Told {
  serverUs: number;
  postgresUs: number;
  driverUs: number;
  perSecond: number;
}

const leastShare = 0.01;

/** Files of ours by folder, so that the table is one of parts of the house. */
const partOf = (module: string): string =>
  module.startsWith('src/') ? module.split('/').slice(0, 2).join('/') : module;

function tell(stacks: readonly Stack[], { serverUs, postgresUs, driverUs, perSecond }: Told): string {
  const total = stacks.reduce((sum, { us }) => sum + us, 0);
  const all = serverUs + postgresUs;
  const row = (us: number, share: number | null, what: string) =>
    `${String(Math.round(us)).padStart(6)} µs  ${(share === null ? '' : `${(share * 100).toFixed(1)} %`).padStart(7)}  ${what}`;
  const parts = byModule(stacks, partOf).filter(([, us]) => us / total >= leastShare);
  return [
    `CPU per verification, at ${Math.round(perSecond)} a second:`,
    '',
    row(serverUs, serverUs / all, 'server process'),
    row(postgresUs, postgresUs / all, 'Postgres'),
    row(driverUs, null, 'load (client, SMSC, webhook endpoint)'),
    '',
    'Of the server process:',
    '',
    ...parts.map(([part, us]) => row((us / total) * serverUs, us / total, part)),
  ].join('\n');
}
