// `npm run ss7`: the SS7 gateway with a simulated network behind it, as one operator more of a running sandbox (`npm start`), until Ctrl-C.
// It prints what passes at MAP and what the phones of that network show.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildGateway, networkEvent, operatorEntry } from './ss7/gateway.ts';
import { comes, startGateway } from './ss7/running.ts';
import { RunningSandbox } from './ss7/sandbox.ts';

const say = (line: string) => console.log(line);
const sandbox = new RunningSandbox(resolve(process.env.RAMZ_DATA || '.data'));
const lookMs = 500;

async function main(): Promise<number> {
  const problem = (await sandbox.problem()) ?? (await buildGateway(say));
  if (problem !== undefined) return fails(problem);
  const ended = Promise.withResolvers<string | null>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.resolve(null));
  await using stops = new AsyncDisposableStack();
  const why = await Promise.race([ended.promise, play(stops, (reason) => ended.resolve(reason))]);
  say('stopping …');
  return why === null ? 0 : fails(why);
}

function fails(why: string): 1 {
  console.error(`ramz: ${why}`);
  return 1;
}

/** Runs until the sandbox is gone. Resolves with why it could not go on. @param ends called where a program has ended */
async function play(stops: AsyncDisposableStack, ends: (why: string) => void): Promise<string> {
  const password = randomBytes(4).toString('hex');
  const gateway = await startGateway({ stops, password, map: { forward_timeout_seconds: 10 }, ends, onLine: show });
  if (gateway === null) return 'the association did not come up';

  const { prefixes, ...entry } = operatorEntry(gateway.smppPort, password);
  const operator = { ...entry, prefixes, name: 'SS7 (simulated)' };
  const over = new AbortController();
  stops.defer(() => sandbox.remove(operator.id));
  stops.defer(() => over.abort());
  sandbox.add(operator);
  if (!(await comes(async () => (await sandbox.binds(operator.id)) > 0)))
    return 'the server did not take the operator up: see server.log in the data directory';
  say(firstWords(prefixes[0] ?? ''));
  while (!over.signal.aborted && sandbox.file !== null) {
    // A sandbox that was started again has written its configuration without this operator.
    sandbox.add(operator);
    await pause(lookMs, undefined, { ref: false });
  }
  return 'npm start has ended';
}

const words: Record<string, string> = {
  routing: 'SRI-for-SM: where is it?',
  forward: 'MT-ForwardSM',
  report: 'reportSM-DeliveryStatus: it was not reached',
  alert: 'alertServiceCentre: it is back',
};

function show(line: string): void {
  const event = networkEvent(line);
  if (event === undefined) return;
  const what = event.kind === 'shown' ? `the phone shows, from ${event.from}: ${event.text}` : words[event.kind];
  say(`${new Date().toLocaleTimeString('en-GB')}  +${event.to}  ${what}`);
}

function firstWords(prefix: string): string {
  const { http, api_key } = sandbox.file ?? { http: '', api_key: '' };
  const call = (path: string) => `curl -s ${http}${path} \\\n    -H 'Authorization: Bearer ${api_key}'`;
  return `
The SS7 gateway is up: numbers that begin with ${prefix} are reached by MAP.

Send a code:

  ${call('/v1/verify/send')} \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${prefix}1234500"}'

It arrives on a simulated phone, below. What became of it, with the words of MAP (the id is in the answer above):

  ${call('/v1/verify/sessions/vrf_…')}

The last two digits of a number say what its phone does:

  01 no paging response   04 barred by the operator   07 illegal          10 its centre never answers   13 the dialogue is broken off
  02 IMSI detached        05 unknown to the HLR       08 no such service  11 away, back after 2 s       others take the message
  03 memory full          06 unidentified             09 system failure   12 busy at the first try

Ctrl-C ends it, and takes the operator out of the sandbox.
`;
}

process.exitCode = await main();
