// What `npm run bench -- …` may be told.

export const benchNames = [
  'verifications',
  'latency',
  'rest',
  'grpc',
  'smpp',
  'calls',
  'memory',
  'processes',
  'idle',
  'rows',
  'postgres',
  'stored',
  'peers',
  'submit',
  'ss7',
] as const;
export type BenchName = (typeof benchNames)[number];

export interface Arguments {
  benches: BenchName[];
  /** Of each bench. */
  runs: number;
  /** Measured part of a run, per side. */
  seconds: number;
  /** Verifications before memory is looked at for the last time. */
  memory: number;
  /** Sends a second at which the wait for `submit_sm` is measured. */
  submitRate: number;
  /** Sessions in the database against which calls are measured; beside a tenth of them. */
  stored: number;
  /** Verifications a second at which several processes are compared with one. */
  rate: number;
  /** Verifications over which the log of Postgres is measured. */
  rows: number;
  /** Measured part of a run of calls, per side: longer, because one late frame in a minute is heard. */
  callSeconds: number;
  /** Verifications under way at once at saturation. */
  inFlight: number;
  /** Instead of measuring: profile the server under load and draw docs/img/flame.svg. */
  profile: boolean;
  /** Write the figures into docs/performance.md too. */
  docs: boolean;
}

export type Parsed = { kind: 'ok'; value: Arguments } | { kind: 'help'; text: string };

const usage = `usage: npm run bench -- [bench …] [--runs=3] [--seconds=6] [--in-flight=128] [--memory=100000]
                              [--call-seconds=60] [--rows=100000] [--rate=200]
                              [--submit-rate=500] [--stored=2000000] [--docs]
       npm run bench -- --profile [--docs]

benches   ${benchNames.join(' ')}   (default: all, about an hour)
--runs          how often each is run; told are median and spread
--seconds       how long each side of a run is measured
--in-flight     verifications under way at once, at saturation
--call-seconds  the same for calls
--memory        verifications before memory is looked at for the last time; the first time is after 10000
--profile       profiles the server under load: docs/img/flame.svg, and where the time goes
--rows          verifications over which bytes of Postgres' log and HOT updates are counted
--rate          verifications a second at which several processes are compared with one
--submit-rate   sends a second at which the wait for submit_sm is measured
--stored        sessions in the database, whose calls stand beside those against a tenth of them
--docs          writes the figures into docs/performance.md

One table; the same as JSON in bench/out/latest.json. Linux only: CPU time is read from /proc.`;

const numbers = {
  runs: 3,
  seconds: 6,
  memory: 100_000,
  'in-flight': 128,
  'call-seconds': 60,
  rows: 100_000,
  rate: 200,
  'submit-rate': 500,
  stored: 2_000_000,
};

export function parseArguments(args: readonly string[]): Parsed {
  const values: Record<string, number> = { ...numbers };
  const benches: BenchName[] = [];
  let profile = false;
  let docs = false;
  for (const arg of args) {
    const [, name = '', value = ''] = /^--([a-z-]+)=(\d+)$/.exec(arg) ?? [];
    if (arg === '--profile') profile = true;
    else if (arg === '--docs') docs = true;
    else if (Object.hasOwn(numbers, name) && Number(value) > 0) values[name] = Number(value);
    else if (isBench(arg)) benches.push(arg);
    else return { kind: 'help', text: usage };
  }
  const { runs = 0, seconds = 0, memory = 0, rows = 0, rate = 0, stored = 0 } = values;
  const { 'in-flight': inFlight = 0, 'call-seconds': callSeconds = 0, 'submit-rate': submitRate = 0 } = values;
  const chosen = benches.length > 0 ? benches : [...benchNames];
  return {
    kind: 'ok',
    value: {
      benches: chosen,
      runs,
      seconds,
      memory,
      rows,
      rate,
      submitRate,
      stored,
      callSeconds,
      inFlight,
      profile,
      docs,
    },
  };
}

const isBench = (text: string): text is BenchName => (benchNames as readonly string[]).includes(text);
