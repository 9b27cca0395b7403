// `npm start`: embedded Postgres, the sandbox and the server, each its own process, with an account ready to use. Starts a
// server that died again; on Ctrl-C ends everything in order and leaves nothing running.

import { styleText } from 'node:util';
import { showArrivals } from './arrivals.ts';
import { Child } from './child.ts';
import { Files, type SandboxState } from './files.ts';
import { firstWords } from './first-words.ts';
import { takeOnlyStart } from './only-start.ts';
import { buildPages } from './pages.ts';
import {
  announceService,
  keyPrefixes,
  prepareAccount,
  prepareEndpoints,
  prepareExamples,
  prepareMessaging,
  startDatabase,
} from './prepare.ts';
import { isSandboxConfig, type Running, type SandboxReady, sandboxConfig, sandboxEnv, sandboxJson } from './sandbox.ts';

export interface LaunchOptions {
  /** What follows the verb. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Program and arguments that run a verb of this program, e.g. `[main.ts, 'serve']`. */
  program(verb: string): string[];
  say(line: string): void;
}

const usage = `usage: npm start [-- --quiet]

  --quiet   does not show what arrives at the phones and at the webhook endpoint`;

/** What the parts of a start have in common. */
interface Start extends LaunchOptions {
  files: Files;
  keyRing: string;
  /** File descriptor of the log. */
  log: number;
  /** Ends the start; what is wrong has been printed then. */
  giveUp(reason: string): void;
  /** What was started last ends first, also where the start fails half-way. */
  stops: AsyncDisposableStack;
}

/** Resolves with the exit code once everything has ended. */
export async function launch(options: LaunchOptions): Promise<number> {
  const { args, env, say } = options;
  const unknown = args.find((arg) => arg !== '--quiet');
  if (unknown !== undefined) {
    const asksForHelp = unknown === 'help' || unknown === '--help';
    say(asksForHelp ? usage : `${usage}\n\n"${unknown}" is not understood`);
    return asksForHelp ? 0 : 2;
  }
  const files = new Files(env.RAMZ_DATA || '.data');
  const only = files.use('start.pid', takeOnlyStart);
  if (only.kind === 'busy') {
    say(
      `ramz: npm start is already running in ${files.directory} (pid ${only.pid}): end that one first, or set RAMZ_DATA to a folder of this one's own`,
    );
    return 1;
  }
  await using stops = new AsyncDisposableStack();
  stops.defer(() => only.release());
  const keyRing = files.keyRing();
  const log = files.openLog();
  const ended = Promise.withResolvers<number>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ended.resolve(0));
  const giveUp = (reason: string) => {
    if (stops.disposed) return; // What fails now fails because everything ends.
    say(`ramz: ${reason}; see ${files.path('server.log')}`);
    ended.resolve(1);
  };
  const start = { ...options, files, keyRing, log, giveUp, stops };

  const sandbox = startSandbox(start); // Beside the database: neither needs the other.
  say('database …');
  const database = await startDatabase(env, files, say);
  stops.defer(async () => void (await database.stop()));
  void database.lost?.then(() =>
    giveUp(`the database has ended by itself (${files.path('postgres/postgres.log')}): start again`),
  );
  const prepared = await prepareAccount(database, keyRing, files.state(), keyPrefixes(env));
  if (prepared.kind === 'refused') {
    say(`ramz: ${prepared.reason}`);
    return 1;
  }
  files.saveState(prepared.state);
  const ready = await Promise.race([sandbox.ready, ended.promise.then(() => null)]);
  if (ready) sandbox.onAgain = startServer(start, database.url, { ready, account: prepared.state });
  const code = await ended.promise;
  say('stopping …');
  return code;
}

interface StartedSandbox {
  ready: Promise<SandboxReady>;
  /** Called when it died and was started again: its operators are at other ports then, and it knows no secret any more. */
  onAgain: (ready: SandboxReady) => void;
}

function startSandbox({ env, program, log, giveUp, stops }: Start): StartedSandbox {
  const { promise, resolve } = Promise.withResolvers<SandboxReady>();
  const started: StartedSandbox = { ready: promise, onAgain: () => {} };
  let place: { SANDBOX_PORT?: string } = {};
  const sandbox = new Child({
    name: 'the sandbox',
    args: program('sandbox'),
    env: () => ({ ...env, ...place }),
    stdout: log,
    onReady: (message, pid) => {
      const ready = { ...(message as unknown as SandboxReady), pid };
      if (place.SANDBOX_PORT !== undefined) return started.onAgain(ready);
      place = { SANDBOX_PORT: new URL(ready.http).port };
      resolve(ready);
    },
    onGivenUp: giveUp,
  });
  sandbox.start();
  stops.defer(() => sandbox.stop());
  return started;
}

interface Prepared {
  ready: SandboxReady;
  account: SandboxState;
  /** Address of the server. */
  http: string;
}

const sandboxFile = 'sandbox.json';
const shellFile = 'sandbox.env';

/** Returns what is to be done when the sandbox was started again. */
function startServer(
  start: Start,
  databaseUrl: string,
  { ready: firstReady, account }: Omit<Prepared, 'http'>,
): StartedSandbox['onAgain'] {
  const { env, program, say, files, log, giveUp, stops } = start;
  const writeConfig = () => env.RAMZ_CONFIG || files.writeJson('sandbox.config.json', sandboxConfig(ready));
  let ready = firstReady;
  const config = writeConfig();
  let ports = {};
  let isFirst = true;
  let running: (Pick<Running, 'http' | 'grpc' | 'metrics'> & { pid: number }) | null = null;
  const announce = () => {
    const service = running && { http: running.http, grpc: running.grpc, api_key: account.apiKey ?? '' };
    return announceService(ready.http, service).catch((error: Error) =>
      say(`the phones page has no service: ${error.message}`),
    );
  };
  /** Has the server and the sandbox know each other. With the secrets of the endpoints that an earlier call made. */
  const introduce = async ({ http }: { http: string }) => {
    await Promise.all([prepareServer(start, { http, ready, account: files.state() }), announce()]);
  };
  /** A program that waits for the files finds everything in place, webhooks included. */
  const keepAddresses = () => {
    if (running === null) return;
    files.writeText(shellFile, sandboxEnv({ ...running, account }));
    files.writeJson(sandboxFile, sandboxJson({ ...running, ready, account }));
  };
  const again = (who: string, pid: number) => {
    say(`${who} died and was started again (pid ${pid})`);
    if (running === null) return; // Its next start does the rest.
    introduce(running)
      .then(keepAddresses)
      .catch((error) => say(`the sandbox could not be set up again: ${error}`));
  };
  const server = new Child({
    name: 'the server',
    args: program('serve'),
    env: () => ({ ...serverEnv(start, { databaseUrl, config, account }), ...ports }),
    stdout: log,
    onReady: (report, pid) => {
      const metrics = typeof report.metrics === 'string' ? report.metrics : undefined;
      const addresses = { http: String(report.http), grpc: String(report.grpc), metrics };
      ports = {
        PORT: new URL(addresses.http).port,
        GRPC_PORT: addresses.grpc.split(':').at(-1),
        ...(metrics === undefined ? {} : { METRICS_PORT: new URL(metrics).port }),
      };
      running = { ...addresses, pid };
      if (!isFirst) return again('the server', pid);
      isFirst = false;
      introduce(addresses)
        .then(() => watchArrivals(start, ready.http))
        .then(keepAddresses)
        .then(() => say(firstWords({ ...addresses, ready, account, files })))
        .then(() => startBuild(start))
        .catch((error) => giveUp(`could not set the sandbox's webhooks up: ${error}`));
    },
    onGone: () => {
      running = null;
      void announce();
    },
    onGivenUp: giveUp,
  });
  process.on('SIGHUP', () => server.signal('SIGHUP'));
  stops.defer(() => files.remove(sandboxFile, shellFile));
  stops.defer(() => server.stop());
  server.start();
  return (next) => {
    ready = next;
    writeConfig();
    server.signal('SIGHUP');
    again('the sandbox', next.pid);
  };
}

/** The environment of the server. What is set here takes the place of the file that could name it (`…_FILE`). `config`: path of its RAMZ_CONFIG. */
function serverEnv(
  { env, files, keyRing }: Start,
  { databaseUrl, config, account }: { databaseUrl: string; config: string; account: SandboxState },
): NodeJS.ProcessEnv {
  return {
    ...env,
    DATABASE_URL: databaseUrl,
    DATABASE_URL_FILE: '',
    RAMZ_CONFIG: config,
    RAMZ_KEY_RING: keyRing,
    RAMZ_KEYS: '',
    RAMZ_DATA: files.directory,
    RAMZ_ADMIN_TOKEN: account.adminToken,
    RAMZ_ADMIN_TOKEN_FILE: '',
    // No load balancer needs a warning, and a person who pressed Ctrl-C waits.
    RAMZ_DRAIN_SECONDS: env.RAMZ_DRAIN_SECONDS || '0',
    // Any free port, so that several starts do not meet at one.
    METRICS_PORT: env.METRICS_PORT || '0',
    ...(isSandboxConfig(config)
      ? // Phones, codes and keys are made up.
        { RAMZ_SANDBOX_KEY: account.apiKey, RAMZ_ALLOW_PLAINTEXT: env.RAMZ_ALLOW_PLAINTEXT || 'true' }
      : { HOST: env.HOST || '127.0.0.1' }),
  };
}

/** Sets up by the public API what the sandbox needs of the server. */
async function prepareServer({ env, say, files }: Start, { http, ready, account }: Prepared): Promise<void> {
  /** A configuration of one's own may refuse what the sandbox asks of a server, and rightly so. */
  const orSay = (what: string) => (error: Error) => {
    if (!env.RAMZ_CONFIG) throw error;
    say(`${what} under this RAMZ_CONFIG: ${error.message}`);
  };
  const prepareCallers = async () => {
    // The examples go first, while no endpoint hears of them; operators of one's own configuration have approved no name.
    if (!env.RAMZ_CONFIG) await prepareExamples(http, account);
    await prepareEndpoints(http, ready, account, (next) => files.saveState(next));
  };
  await Promise.all([
    prepareCallers().catch(orSay('the sandbox gets no webhooks')),
    prepareMessaging(http, ready.http).catch(orSay("the sandbox's messaging platform has no callback address")),
  ]);
}

/** Prints what arrives, each line with the colours that the terminal has. */
async function watchArrivals({ args, say, stops }: Start, sandbox: string): Promise<void> {
  if (args.includes('--quiet')) return;
  const end = new AbortController();
  stops.defer(() => end.abort());
  const paint = (style: 'bold' | 'green' | 'red' | 'dim', text: string) =>
    styleText(style, text, { stream: process.stdout });
  await showArrivals({ sandbox, say, paint, signal: end.signal });
}

/** Starts the build of the pages. An installation without the tools for it has the pages already. */
function startBuild({ say, log, files, stops }: Start): void {
  const onFailure = (how: string) => say(`the pages could not be built (${how}); see ${files.path('server.log')}`);
  const build = buildPages({ log, onFailure });
  if (build) stops.defer(() => build.stop());
}
