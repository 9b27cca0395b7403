// `npm start`: embedded Postgres, the sandbox and the server, each its own process, with an account ready to use. Starts a
// server that died again; on Ctrl-C ends everything in order and leaves nothing running.

import { openSync } from 'node:fs';
import { resolve } from 'node:path';
import { Child } from './child.ts';
import {
  Files,
  prepareAccount,
  prepareEndpoints,
  prepareExamples,
  prepareMessaging,
  type SandboxState,
  startDatabase,
} from './prepare.ts';

interface SandboxReady {
  http: string;
  webhookUrl: string;
  operators: unknown[];
  /** The section of a configuration that fits its messaging platform. */
  messaging: object;
  /** The section that fits its trunk; null without phones. */
  voice: object | null;
  scenarioPrefix: string;
  numbers: Record<string, string>;
  prefixes: string[];
}

export interface LaunchOptions {
  env: NodeJS.ProcessEnv;
  /** Program and arguments that run a verb of this program, e.g. `[main.ts, 'serve']`. */
  program(verb: string): string[];
  say(line: string): void;
}

const sandboxFile = 'sandbox.json';

/** Resolves with the exit code once everything has ended. */
export async function launch({ env, program, say }: LaunchOptions): Promise<number> {
  const files = new Files(env.RAMZ_DATA || '.data');
  const state = files.state();
  const keyRing = files.keyRing();
  const log = openSync(files.path('server.log'), 'a');
  const ended = Promise.withResolvers<number>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ended.resolve(0));

  say('database …');
  const database = await startDatabase(env, files);
  const prepared = await prepareAccount(database.url, keyRing, state).catch(async (error) => {
    await database.stop();
    throw error;
  });
  if (prepared.kind === 'refused') {
    await database.stop();
    say(`ramz: ${prepared.reason}`);
    return 1;
  }
  const { state: account } = prepared;
  files.saveState(account);

  const giveUp = (reason: string) => {
    say(`ramz: ${reason}; see ${files.path('server.log')}`);
    ended.resolve(1);
  };
  /** A configuration of one's own may refuse what the sandbox asks of a server, and rightly so. */
  const orSay = (what: string) => (error: Error) => {
    if (!env.RAMZ_CONFIG) throw error;
    say(`${what} under this RAMZ_CONFIG: ${error.message}`);
  };
  const sandboxReady = Promise.withResolvers<SandboxReady>();
  const sandbox = new Child({
    name: 'the sandbox',
    args: program('sandbox'),
    env: () => ({ ...env, SANDBOX_PORT: env.SANDBOX_PORT || String(account.sandboxPort ?? 0) }),
    stdout: log,
    onReady: (ready) => sandboxReady.resolve(ready as unknown as SandboxReady),
    onGivenUp: giveUp,
  });
  sandbox.start();
  const ready = await Promise.race([sandboxReady.promise, ended.promise.then(() => null)]);

  let server: Child | undefined;
  let isUp = false;
  if (ready) {
    files.saveState({ ...account, sandboxPort: Number(new URL(ready.http).port) });
    const config = env.RAMZ_CONFIG || files.writeJson('sandbox.config.json', sandboxConfig(ready));
    let ports = {};
    server = new Child({
      name: 'the server',
      args: program('serve'),
      env: () => ({
        ...env,
        DATABASE_URL: database.url,
        RAMZ_CONFIG: config,
        RAMZ_KEY_RING: keyRing,
        RAMZ_DATA: files.directory,
        // No load balancer needs a warning, and a person who pressed Ctrl-C waits.
        RAMZ_ADMIN_TOKEN: account.adminToken,
        RAMZ_DRAIN_SECONDS: env.RAMZ_DRAIN_SECONDS || '0',
        ...ports,
      }),
      stdout: log,
      onReady: ({ http, grpc }, pid) => {
        ports = { PORT: new URL(String(http)).port, GRPC_PORT: String(grpc).split(':').at(-1) };
        const writeSandboxFile = () =>
          files.writeJson(sandboxFile, sandboxJson({ http: String(http), grpc: String(grpc), pid, ready, account }));
        if (isUp) {
          writeSandboxFile();
          return say(`the server died and was started again (pid ${pid})`);
        }
        isUp = true;
        // Only then: a program that waits for the file finds everything in place, webhooks included. The examples go first, while
        // no endpoint hears of them; operators of one's own configuration have approved no name.
        (env.RAMZ_CONFIG ? Promise.resolve() : prepareExamples(String(http), account))
          .then(() => prepareEndpoints(String(http), ready, account, (next) => files.saveState(next)))
          .catch(orSay('the sandbox gets no webhooks'))
          .then(() => prepareMessaging(String(http), ready.http))
          .catch(orSay("the sandbox's messaging platform has no callback address"))
          .then(writeSandboxFile)
          .then(() => say(firstCall({ http: String(http), grpc: String(grpc), ready, account, files })))
          .catch((error) => giveUp(`could not set the sandbox's webhooks up: ${error}`));
      },
      onGivenUp: giveUp,
    });
    process.on('SIGHUP', () => server?.signal('SIGHUP'));
    server.start();
  }

  const code = await ended.promise;
  say('stopping …');
  await server?.stop();
  await sandbox.stop();
  await database.stop();
  if (isUp) files.remove(sandboxFile);
  return code;
}

interface Running {
  http: string;
  grpc: string;
  pid: number;
  ready: SandboxReady;
  account: SandboxState;
}

/** The addresses and keys that a program needs to talk to what is running. */
function sandboxJson({ http, grpc, pid, ready, account }: Running): object {
  const { accountId, apiKey, testKey, adminToken } = account;
  return {
    http,
    grpc,
    sandbox: ready.http,
    server_pid: pid,
    account_id: accountId,
    api_key: apiKey,
    test_key: testKey,
    admin_token: adminToken,
    webhook_sink: ready.webhookUrl,
    numbers: ready.numbers,
    prefixes: ready.prefixes,
  };
}

/** The configuration of a server that talks to the sandbox: its operators, messaging platform and trunk, webhooks to this machine, room for load. */
function sandboxConfig(ready: SandboxReady): object {
  return {
    sandbox: true,
    scenario_prefix: ready.scenarioPrefix,
    service: { brand: 'Ramz', home_country: 'DZ' },
    operators: ready.operators,
    messaging: ready.messaging,
    ...(ready.voice ? { voice: ready.voice } : {}),
    // Everything comes from this machine, and goes to the one sink that is there.
    limits: {
      account_calls_per_second: 100_000,
      authentication_failures_per_minute: 1_000,
      webhook_endpoints_per_host: 100,
      webhook_deliveries_per_host: 10_000,
      webhook_deliveries_per_host_per_second: 1_000_000,
    },
    webhooks: { allow_private_targets: true },
  };
}

interface FirstCall {
  http: string;
  grpc: string;
  ready: { http: string; numbers: Record<string, string> };
  account: SandboxState;
  files: Files;
}

/** The text that `npm start` prints when everything is up: calls to paste, with a working key. */
export function firstCall({ http, grpc, ready, account, files }: FirstCall): string {
  const to = ready.numbers.sms_delivered;
  const where = files.directory === resolve('.data') ? '' : `RAMZ_DATA='${files.directory}' `;
  return `
Ramz is up.

  HTTP     ${http}   (readable API at ${http}/docs)
  gRPC     ${grpc}
  phones   ${ready.http}   (what the sandbox's phones and webhook endpoint received)
  log      ${files.path('server.log')}

Send a code:

  curl -s ${http}/v1/verify/send \\
    -H 'Authorization: Bearer ${account.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${to}"}'

Read it on the phone:

  curl -s '${ready.http}/sandbox/messages?to=${encodeURIComponent(to ?? '')}'

Check it (the id from the first answer, the code from the text):

  curl -s ${http}/v1/verify/check \\
    -H 'Authorization: Bearer ${account.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"id":"vrf_…","code":"……"}'

Or see a whole story at once:  ${where}npm run send -- sms_throttled   (without a name: all of them)

Keys, numbers and addresses are in ${files.path('sandbox.json')}. Ctrl-C ends everything.
`;
}
