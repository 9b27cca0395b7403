// What both ways of playing calls have in common: their arguments, their result, and the work that keeps the main thread busy.

export const frameMs = 20;
/** Until calls are up and Node has compiled what it runs. */
export const warmupMs = 3_000;

export interface CallsOptions {
  /** Of the reflector. */
  port: number;
  calls: number;
  seconds: number;
  /** Whether the main thread has other work to do. */
  busy: boolean;
}

/** What a child sends over IPC, after `{up}`. */
export interface CallsMeasured {
  /** RTP packets. */
  sent: number;
  received: number;
  /** Packets by how late they left: entry n = from n to n + 1 classes; the last holds all later ones. */
  lateness: number[];
  classMs: number;
  /** Longest time between two packets of one call. */
  gapMs: number;
  /** Of the thread that sends. */
  cpuPercent: number;
}

export const callsArguments = ({ port, calls, seconds, busy }: CallsOptions): string[] =>
  [port, calls, seconds, busy ? 1 : 0].map(String);

export function readOptions(args: readonly string[]): CallsOptions {
  const [port = 0, calls = 0, seconds = 0, busy = 0] = args.map(Number);
  return { port, calls, seconds, busy: busy === 1 };
}

/** 12 of every 20 ms, at a stretch, as a server that parses, signs and writes. */
export function keepBusy(): NodeJS.Timeout {
  return setInterval(() => {
    const until = performance.now() + 12;
    while (performance.now() < until) JSON.parse(JSON.stringify({ x: Math.random(), y: [until, 'code', null] }));
  }, 20);
}
