// `npm run chaos`: kills the service over and over under load and checks what it promised. See docs/chaos.md.
//
//   npm run chaos                                     two minutes and a half at 300 sends a second, 24 kills
//   npm run chaos -- --seed 7 --rate 150 --seconds 60 --kills 10 --freezes 1
//   npm run chaos -- --processes 4 --seconds 100      four servers that talk to each other, 100 sends a second
//   npm run chaos -- --docs                           writes the report into docs/chaos.md too
//
// The report goes to the terminal and, as JSON, to .data/chaos.json; what the servers wrote is in .data/chaos.log. Exit code 1 = a promise was broken.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withBlock } from '../bench/report/document.ts';
import { serverNames } from '../test/chaos/plan.ts';
import { readable } from '../test/chaos/report.ts';
import { runChaos } from '../test/chaos/run.ts';
import { root } from './run.ts';

const number = (text: string | undefined, fallback: number) => {
  const value = Number(text ?? fallback);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${text} is not a whole number`);
  return value;
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    processes: { type: 'string' },
    rate: { type: 'string' },
    seconds: { type: 'string' },
    kills: { type: 'string' },
    freezes: { type: 'string' },
    slack: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
});

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());

const processes = number(values.processes, 2);
if (processes < 2 || processes > serverNames.length) throw new Error(`2 to ${serverNames.length} processes`);
const hasPeers = processes > 2;

const loadBefore = loadavg()[0] ?? 0;
const seed = number(values.seed, Math.floor(Math.random() * 1_000_000));
console.log(`seed ${seed}`);
const folder = join(root, '.data');
mkdirSync(folder, { recursive: true });
const report = await runChaos(
  {
    seed,
    processes,
    checkShare: hasPeers ? 1 : 0.3,
    ratePerSecond: number(values.rate, hasPeers ? 100 : 300),
    durationMs: number(values.seconds, 150) * 1000,
    kills: number(values.kills, 24),
    freezes: number(values.freezes, 3),
    slackMs: number(values.slack, 0),
    freezeMs: 5_000,
    headMs: 3_000,
    webhookTimeoutSeconds: 15,
    settleMs: 120_000,
    logFile: join(folder, 'chaos.log'),
  },
  { say: (line) => console.log(line), signal: interrupted.signal },
);

writeFileSync(join(folder, 'chaos.json'), `${JSON.stringify(report, null, 2)}\n`);
console.log(`\n${readable(report)}\n`);
if (values.docs && !interrupted.signal.aborted) writeIntoDocument();
process.exitCode = report.violations.length > 0 || interrupted.signal.aborted ? 1 : 0;

/** So that what stands there was measured and not typed. */
function writeIntoDocument(): void {
  const path = join(root, 'docs', 'chaos.md');
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}; load average before ${loadBefore.toFixed(1)}`;
  const { options } = report;
  const asked = `${options.ratePerSecond} sends/s for ${options.durationMs / 1000} s, slack ${options.slackMs} ms`;
  const told = `${readable(report)}\n\n${asked}; ${machine}.`;
  writeFileSync(path, withBlock(readFileSync(path, 'utf8'), hasPeers ? 'owners' : 'figures', told));
}
