// `ramz serve`: reads the settings, starts the service, follows signals until the end. The app itself handles none, so that it can run
// twice in a test.

import { readFileSync } from 'node:fs';
import { type App, startApp } from './app/app.ts';
import { StartRefused } from './app/lifecycle.ts';
import { aborted, endSignal } from './cli/command.ts';
import { openDatabase } from './cli/migrate.ts';
import { type Doors, exposedDoors, isLoopback, portProblem, urlHost } from './config/doors.ts';
import { type ConfigProblem, loadConfig, loadKeyRing } from './config.ts';
import type { ParsedKeyRing } from './core/secrets/key-ring.ts';
import { createLogger, type Logger } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';

const readFile = (path: string) => readFileSync(path, 'utf8');

/** Resolves with the exit code once everything has ended. */
export async function serve({ env, say }: { env: NodeJS.ProcessEnv; say(line: string): void }): Promise<number> {
  const hangUp = hangUps();
  const loaded = loadConfig({ env, readFile });
  if (loaded.kind === 'invalid') {
    return failed(loaded.errors.map((problem) => `configuration: ${text(problem)}`).join('\n'), say);
  }
  const { config } = loaded;
  const exposed = exposedDoors(config.server);
  if (exposed.length > 0) return failed(exposed.map((problem) => `configuration: ${text(problem)}`).join('\n'), say);
  const logger = createLogger(config.server.logLevel);
  warnOf(loaded.warnings, logger);

  // Node would open its inspector, through which any process of this user reads codes and keys (also --disable-sigusr1, before we get here).
  process.on('SIGUSR1', () => logger.warn('SIGUSR1 is ignored: the inspector stays closed'));
  const last = lastError(logger);
  process.once('uncaughtException', last);
  const ended = endSignal();
  const server = await openDatabase(env, { make: true });
  if (server.embedded) logger.info(`DATABASE_URL is not set: this is ${server.embedded}`);
  try {
    const readKeyRing = () => parsedKeyRing(env);
    const options = { config, databaseUrl: server.url, logger, metrics: createMetrics(), readKeyRing };
    const app = await startApp({ ...options, ending: ended });
    const { httpPort, grpcPort, metricsPort } = app;
    const host = urlHost(config.server.host);
    const scheme = config.server.httpTls ? 'https' : 'http';
    const ready = {
      http: `${scheme}://${host}:${httpPort}`,
      grpc: `${host}:${grpcPort}`,
      ...metricsAddress(config.server, metricsPort),
    };
    logger.info(ready, 'ready');
    process.send?.({ kind: 'ready', ...ready });
    hangUp.ready(reloader(app, env, logger));
    const isLost = await Promise.race([aborted(ended).then(() => false), server.lost.then(() => true)]);
    if (isLost) logger.fatal({}, 'the embedded database has ended: this process ends; start it again');
    else logger.info({ why: ended.reason }, 'stopping');
    hangUp.stopping(logger);
    await app.close();
    return isLost ? 1 : 0;
  } catch (error) {
    if (ended.aborted && (error as Error).name === 'AbortError') {
      logger.info({ why: ended.reason }, 'stopped before it was ready');
      return 0;
    }
    if (error instanceof StartRefused) return failed(error.message, say);
    const problem = portProblem(error, config.server);
    if (problem === null) throw error;
    return failed(problem, say);
  } finally {
    await server.stop();
    process.off('uncaughtException', last);
    if (process.connected) process.disconnect();
  }
}

/**
 * A bug that nobody caught, a rejected promise included: the state of the process is unknown, so it ends, and others take over
 * what it had. Node would write the stack to standard error as it is, with the numbers in it.
 */
const lastError = (logger: Logger) => (err: Error) => {
  logger.fatal({ err }, 'a bug that nobody caught: this process ends; start it again');
  process.exit(1);
};

function metricsAddress({ metrics, httpTls }: Doors, port: number | null): { metrics?: string } {
  if (!metrics || port === null) return {};
  const scheme = httpTls && !isLoopback(metrics.host) ? 'https' : 'http';
  return { metrics: `${scheme}://${urlHost(metrics.host)}:${port}` };
}

/** The reason goes to the process that started us (`npm start`) too, which prints it and need not try again. */
function failed(reason: string, say: (line: string) => void): number {
  say(reason);
  process.send?.({ kind: 'failed', reason });
  return 1;
}

/**
 * Follows SIGHUP from the first moment to the last: unhandled, it ends a process. One that comes during the start is remembered, since the
 * start may have read the files before they changed; one that comes during the end changes nothing.
 */
function hangUps() {
  let isWaiting = false;
  let act = () => {
    isWaiting = true;
  };
  process.on('SIGHUP', () => act());
  return {
    ready(reload: () => void): void {
      act = reload;
      if (isWaiting) reload();
    },
    stopping(logger: Logger): void {
      act = () => logger.info('SIGHUP is ignored: the process is stopping');
    },
  };
}

function parsedKeyRing(env: NodeJS.ProcessEnv): ParsedKeyRing {
  const { value, errors } = loadKeyRing({ env, readFile });
  return value ? { kind: 'ok', ring: value } : { kind: 'invalid', errors: errors.map(text) };
}

/**
 * A file with a mistake in it changes nothing; the mistake is logged. The key ring may stay as it is while the configuration changes, not
 * the reverse.
 */
function reloader(
  app: Pick<App, 'reload' | 'refuse' | 'rereadKeys'>,
  env: NodeJS.ProcessEnv,
  logger: Logger,
): () => void {
  let queue = Promise.resolve();
  const reload = async () => {
    const loaded = loadConfig({ env, readFile });
    if (loaded.kind === 'invalid') {
      logger.error({ problems: loaded.errors.map(text) }, 'configuration not reloaded');
      app.refuse();
      return;
    }
    warnOf(loaded.warnings, logger);
    const restartNeeded = await app.reload(loaded.config);
    logger.info({ restart_needed_for: restartNeeded }, 'configuration reloaded');
  };
  return () => {
    const failed = (what: string) => (error: unknown) => logger.error({ err: error }, what);
    queue = queue.then(reload).catch(failed('configuration not reloaded'));
    queue = queue.then(app.rereadKeys).catch(failed('the key ring could not be read again: the one in force stays'));
  };
}

/** What works, but probably not as meant. */
function warnOf(warnings: readonly ConfigProblem[], logger: Logger): void {
  for (const { path, message } of warnings) logger.warn({ path }, `configuration: ${message}`);
}

const text = ({ path, message }: ConfigProblem) => `${path}: ${message}`;
