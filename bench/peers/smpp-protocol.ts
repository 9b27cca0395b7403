// What the SMPP clients under measurement have in common.

import { closedLoop, openLoop } from '../load/shapes.ts';
import { cpuUs } from '../measure/cpu.ts';
import { quantile } from '../measure/statistics.ts';

/** submit_sm under way at once: with receipts after 5 ms, enough to keep a client busy. */
const usuallyInFlight = 500;
const warmupMs = 1_500;

export const credentials = { systemId: 'ramz', password: 'bench' };
/** One that every phone network of the project, simulated ones too, takes messages for. */
export const destination = '213550000000';
export const text = 'Votre code Ramz : 123456. Ne le communiquez a personne.';

/** What a client is started with, as JSON. */
export interface SmppTask {
  port: number;
  /** Measured part. */
  seconds: number;
  /** submit_sm without an answer, at most. Default: as many as messages under way. */
  window?: number;
  pace?: Pace;
  /** Of receipts. Default YYMMDDhhmm. */
  dateFormat?: 'YYMMDDhhmmss';
}

export interface Pace {
  /** Messages without a receipt, at once. Default 500. */
  inFlight?: number;
  /** In open loop, in place of `inFlight`. */
  ratePerSecond?: number;
  /** Other processes whose CPU time is read in the same moments. */
  pids?: readonly number[];
}

/** What a client sends over IPC when it is done. */
export interface SmppMeasured {
  /** Messages with their answer and their receipt. */
  messages: number;
  cpuUs: number;
  /** CPU time of `pids`. */
  othersUs: number[];
  /** Quantiles of what `play` resolved with. */
  p50Ms: number;
  p99Ms: number;
}

export const smppTask = (): SmppTask => JSON.parse(process.argv[2] ?? '');

export const inFlightOf = ({ pace: { inFlight = usuallyInFlight } = {} }: SmppTask): number => inFlight;

/**
 * Plays messages for so long and measures this process. `play` resolves with the milliseconds that a message took, when its answer and its
 * receipt are there; in open loop it gets the moment at which it was due.
 */
export async function measure(play: (dueAt?: number) => Promise<number>, task: SmppTask): Promise<SmppMeasured> {
  const { seconds, pace: { ratePerSecond, pids = [] } = {} } = task;
  const look = () => {
    const { user, system } = process.cpuUsage();
    return [user + system, ...pids.map(cpuUs)];
  };
  let before = look();
  let after = before;
  const onMeasure = () => {
    before = look();
  };
  const onMeasured = () => {
    after = look();
  };
  const measureMs = seconds * 1000;
  let waits: number[];
  if (ratePerSecond === undefined) {
    const inFlight = inFlightOf(task);
    const shape = { inFlight, warmupMs, measureMs };
    waits = (await closedLoop(() => play(), shape, { onMeasure, onMeasured })).results;
  } else {
    await openLoop(play, { ratePerSecond, measureMs: warmupMs });
    onMeasure();
    waits = (await openLoop(play, { ratePerSecond, measureMs })).results;
    onMeasured();
  }
  const [own = 0, ...othersUs] = after.map((us, at) => us - (before[at] ?? 0));
  const [p50Ms, p99Ms] = [quantile(waits, 0.5), quantile(waits, 0.99)];
  return { messages: waits.length, cpuUs: own, othersUs, p50Ms, p99Ms };
}
