// `npm run chaos`: kills the service over and over under load and checks what it promised. See docs/chaos.md.
// The report goes to the terminal and, as JSON, to .data/chaos.json; what the servers wrote is in .data/chaos.log. Exit code 1 = a promise was broken.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { withBlock } from '../bench/report/document.ts';
import { flag, text } from '../src/cli/command.ts';
import { serverNames } from '../test/chaos/plan.ts';
import { readable } from '../test/chaos/report.ts';
import { runChaos } from '../test/chaos/run.ts';
import { readOptions } from './options.ts';
import { root } from './run.ts';

const usage = `usage: npm run chaos -- [options]
  (none)                                         two minutes and a half at 300 sends a second, 24 kills
  --seed 7 --rate 150 --seconds 60 --kills 10 --freezes 1
  --processes 4 --seconds 100                    four servers that talk to each other, 100 sends a second
  --slack 5000                                   milliseconds that timers may be late, on a busy machine (default 0)
  --docs                                         writes the report into docs/chaos.md too`;

const { values, whole } = readOptions(usage, {
  seed: text,
  processes: text,
  rate: text,
  seconds: text,
  kills: text,
  freezes: text,
  slack: text,
  docs: flag,
});

const processes = whole('processes', { least: 2, most: serverNames.length }, 2);
const hasPeers = processes > 2;
const seed = whole('seed', { least: 0 }, Math.floor(Math.random() * 1_000_000));
const asked = {
  seed,
  processes,
  checkShare: hasPeers ? 1 : 0.3,
  ratePerSecond: whole('rate', { least: 1 }, hasPeers ? 100 : 300),
  durationMs: whole('seconds', { least: 1 }, 150) * 1000,
  kills: whole('kills', { least: 0 }, 24),
  freezes: whole('freezes', { least: 0 }, 3),
  slackMs: whole('slack', { least: 0 }, 0),
};

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());

const loadBefore = loadavg()[0] ?? 0;
console.log(`seed ${seed}`);
const folder = join(root, '.data');
mkdirSync(folder, { recursive: true });
const report = await runChaos(
  {
    ...asked,
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
