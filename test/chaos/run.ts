// One run: everything up, load and faults at once, quiet, then every promise is checked from outside.
import { setTimeout as pause } from 'node:timers/promises';
import { deliveryLeaseMs } from '../../src/engine/webhooks/context.ts';
import { BindWatch } from './bind-watch.ts';
import { Client } from './client.ts';
import { type Evidence, listed, stored, unsettled } from './evidence.ts';
import { doFaults } from './faults.ts';
import { runLoad } from './load.ts';
import { planFaults, serverNames } from './plan.ts';
import { planOwnersFaults } from './plan-owners.ts';
import { seeded } from './random.ts';
import { makeReport, type Report } from './report.ts';
import { stories } from './stories.ts';
import { verifyAll } from './verify/all.ts';
import { startWorld, type World } from './world.ts';

export interface RunOptions {
  seed: number;
  /** Two servers that know nothing of each other, or three or four with peer ports: those have faults of their own. */
  processes: number;
  /** Of the sessions whose code arrives, 0 to 1: how many are checked. */
  checkShare: number;
  /** Sends a second. */
  ratePerSecond: number;
  /** Of the load; what comes before and after is on top. */
  durationMs: number;
  kills: number;
  freezes: number;
  freezeMs: number;
  headMs: number;
  /** What timers may be late beyond the lease and a second: for machines that are busy with other things. */
  slackMs: number;
  webhookTimeoutSeconds: number;
  /** How long quiet is waited for after the load. */
  settleMs: number;
  /** Where the servers' output goes; default: a file that is removed with the rest. */
  logFile?: string;
}

export interface RunHooks {
  say(line: string): void;
  /** Aborted = kill everything and end. */
  signal: AbortSignal;
}

/** Of engine/fleet/members.ts: how long a silent process counts as alive. */
const leaseMs = 3_000;
const lookMs = 20;

/** @throws when the run could not be carried out; a broken promise is in the report. */
export async function runChaos(options: RunOptions, hooks: RunHooks): Promise<Report> {
  const startedAt = Date.now();
  const peers = options.processes > 2;
  const plan = planOf(options);
  const world = await startWorld({ ...options, peers });
  const abandon = () => world.abandon();
  hooks.signal.addEventListener('abort', abandon, { once: true });
  const client = new Client({ servers: world.servers, apiKey: world.account.apiKey ?? '', ledger: world.ledger });
  const watch = new BindWatch(Object.values(world.sandbox.smscs), world.journal);
  const looking = setInterval(() => watch.look(), lookMs);
  let stopped: { drained: boolean } | undefined;
  try {
    const loadStarted = Date.now();
    const faults = doFaults(world, plan, hooks.say);
    const load = loadOf(world, client, options);
    const [loadMs] = await Promise.all([load, faults]);
    hooks.say(`${((Date.now() - loadStarted) / 1000).toFixed(1)} s: load and faults are over`);
    const left = await untilQuiet(world, options.settleMs, hooks.signal);
    const evidence = await gather(world, client, watch, options);
    const violations = verifyAll(evidence);
    for (const story of await stories(world.postgres.url, violations)) hooks.say(story);
    stopped = await world.stop();
    if (left) violations.push({ promise: 'everything comes to rest', detail: left });
    if (!stopped.drained) violations.push({ promise: 'SIGTERM drains in time', detail: 'a server had to be killed' });
    const ran = { options, evidence, plan, loadMs, startedAt, violations, ledger: world.ledger };
    return makeReport({ ...ran, unsettled: left, drained: stopped.drained });
  } finally {
    hooks.signal.removeEventListener('abort', abandon);
    clearInterval(looking);
    await client.close();
    if (!stopped) await world.stop();
  }
}

function planOf(options: RunOptions) {
  const random = seeded(options.seed, 'faults');
  const servers = serverNames.slice(0, options.processes);
  return servers.length > 2 ? planOwnersFaults({ ...options, servers }, random) : planFaults(options, random);
}

/** Codes of messages that were lost with their process never arrive: waiting for them ends a while after the last send. */
async function loadOf(world: World, client: Client, options: RunOptions): Promise<number> {
  const { ledger, sandbox } = world;
  const codes = new AbortController();
  const { ratePerSecond, durationMs, seed, processes, checkShare } = options;
  const end = setTimeout(() => codes.abort(), durationMs + 12_000);
  try {
    return await runLoad({
      client,
      ledger,
      ratePerSecond,
      durationMs,
      processes,
      checkShare,
      signal: codes.signal,
      random: seeded(seed, 'load'),
      prefixes: sandbox.operators.flatMap(({ prefixes }) => prefixes as string[]),
      silentNumber: `${sandbox.scenarioPrefix}0000003`,
    });
  } finally {
    clearTimeout(end);
  }
}

/** What is still under way at the end, as text; empty when everything came to rest. */
async function untilQuiet(world: World, patienceMs: number, signal: AbortSignal): Promise<string> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const left = await unsettled(world);
    if (!left || Date.now() > giveUpAt || signal.aborted) return left;
    await pause(250);
  }
}

async function gather(world: World, client: Client, watch: BindWatch, options: RunOptions): Promise<Evidence> {
  // In this order: what the ledger holds is at least as new as what it is compared with.
  const rows = await stored(world.postgres.url);
  const sessions = await listed(client);
  world.collect();
  const { ledger, journal, servers, prices, allowedBinds } = world;
  return {
    ...rows,
    sent: ledger.sent,
    checked: ledger.checked,
    arrived: ledger.arrived,
    events: ledger.events,
    listed: sessions,
    prices,
    allowedBinds,
    peaks: watch.peaks,
    leaseMs,
    slackMs: options.slackMs,
    deliveryLeaseMs: deliveryLeaseMs(options.webhookTimeoutSeconds * 1000),
    outages: journal.outages(),
    incidents: journal.incidents,
    changes: journal.changes,
    tries: ledger.tries,
    deaths: servers.reduce((sum, { deaths }) => sum + deaths, 0),
  };
}
