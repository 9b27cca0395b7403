// The composition root: the only file that knows everyone. Puts the parts together, starts the loops, and takes all of it
// down again in the order in which nothing is lost.

import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../api/auth/authenticator.ts';
import { clientAddresses } from '../api/clients/address.ts';
import { Refusals } from '../api/clients/refusals.ts';
import { startApi } from '../api/server.ts';
import type { Config } from '../config.ts';
import { idSource, shardForAccount } from '../core/ids.ts';
import { parseKeyRing } from '../core/secrets/key-ring.ts';
import { withAccountLocked } from '../db/accounts/accounts.ts';
import { createDatabase } from '../db/client.ts';
import { inside } from '../db/inside.ts';
import { prepareSchema } from '../db/migrate.ts';
import type { Schema } from '../db/schema.ts';
import { createAccountSource } from '../engine/accounts/view-source.ts';
import { Accounts } from '../engine/accounts/views.ts';
import { Channels } from '../engine/delivery/channels.ts';
import { createEngine } from '../engine/engine.ts';
import { Fleet } from '../engine/fleet/members.ts';
import { Slots } from '../engine/fleet/slots.ts';
import { requiredKeys } from '../engine/secrets/required-keys.ts';
import { EndpointManager } from '../engine/webhooks/manage.ts';
import { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { callLimiter } from './call-limiter.ts';
import { channelsFor } from './channels.ts';
import { createHousekeeper } from './housekeeper.ts';
import { followedSettings } from './live-settings.ts';
import { createLoops } from './loops.ts';
import { observers } from './observers.ts';
import { readiness } from './readiness.ts';
import { services } from './services.ts';
import { signupPages } from './signup.ts';
import { StartRefused } from './start-refused.ts';

export interface AppOptions {
  config: Config;
  databaseUrl: string;
  logger: Logger;
  metrics: Metrics;
}

export interface App {
  httpPort: number;
  grpcPort: number;
  /** Takes a new configuration over; binds whose settings did not change stay up. Returns what needs a restart. */
  reload(config: Config): Promise<string[]>;
  /** Answers what is under way, sends what is on the wire, leaves the rest to other processes. */
  close(): Promise<void>;
}

const drainMs = 10_000;
const hourMs = 3_600_000;

/**
 * @throws StartRefused with a reason for people, or when the database can't be reached or a port is taken; nothing is left open.
 */
export async function startApp({ config: initial, databaseUrl, logger, metrics }: AppOptions): Promise<App> {
  let config = initial;
  const now = Date.now;
  const ring = ringOf(config);
  const ids = idSource({ now, randomBytes });
  const onError = (error: unknown, about: object) => logger.error({ err: error, ...about }, 'unexpected error');
  const onConnectionLost = (error: Error) => logger.warn({ err: error }, 'database connection lost');
  const database = createDatabase<Schema>(databaseUrl, { max: 7, lanes: 6, lists: 3, onConnectionLost });
  const { db, lanes, lists } = database;
  // Who a caller is, and whether we are ready, must not wait in line behind whatever callers read; nor must the leases, or
  // a process with much to do is taken for dead and its messages for lost.
  const watch = createDatabase<Schema>(databaseUrl, { max: 3, lanes: 2, onConnectionLost });
  const stack = new AsyncDisposableStack();
  stack.defer(() => Promise.all([database.close(), watch.close()]).then(() => {}));
  try {
    const schema = await prepareSchema(databaseUrl, { migrate: config.server.migrate });
    if (schema.kind === 'refused') throw new StartRefused(schema.reason);
    const keys = await requiredKeys(lanes, ring);
    if (keys.kind === 'missing') throw new StartRefused(keys.reason);
    const retentionDays = () => config.service.retentionDays;
    const housekeeper = createHousekeeper({ db: db as never, now, retentionDays, metrics, logger });
    await housekeeper.open();

    const observe = observers(metrics, now);
    const fleet = new Fleet({ db: watch.lanes, processId: ids('prc_'), now });
    const accounts = new Accounts(createAccountSource(watch.db));
    const channels = new Channels();
    const webhooks = new Webhooks({
      db: lanes,
      fleet,
      ring,
      now,
      log: logger,
      observe: observe.webhooks,
      newEventId: (accountId) => ids('evt_', shardForAccount(accountId)),
      allowPrivate: config.webhooks.allowPrivateTargets,
      timeoutMs: config.webhooks.timeoutSeconds * 1000,
      maxFailingMs: config.webhooks.disableAfterDays * 24 * hourMs,
      queue: { maxInFlightPerEndpoint: config.webhooks.concurrencyPerEndpoint },
      hosts: {
        atOnce: () => config.limits.webhookDeliveriesPerHost,
        perSecond: () => config.limits.webhookDeliveriesPerHostPerSecond,
      },
      processes: () => fleet.alive,
    });
    const followed = followedSettings(config);
    const { rules, failureLimit, sendLimits } = followed;
    const engine = createEngine({
      db: lanes,
      reads: inside(db),
      processId: fleet.processId,
      now,
      ids,
      randomBytes,
      accounts,
      channels,
      onError,
      rules,
      failureLimit,
      sendLimits,
      observe: { lane: observe.lane, receipt: observe.receipt },
      codeKey: (id) => {
        const key = ring.byId(id);
        if (!key) throw new Error(`the key ring has lost key ${id}, and codes under way with it`);
        return key.key;
      },
      currentKeyId: () => ring.current('code').id,
      postWebhooks: (deliveries, bodies, session) => webhooks.post(deliveries, bodies, session),
      deliveryLeaseMs: webhooks.settings.leaseMs,
      onLost: () => webhooks.lost(),
      mayTakeOver: () => fleet.mayTakeOver,
    });
    const reach = channelsFor({
      config,
      channels,
      db,
      ring,
      ids,
      now,
      metrics,
      logger,
      onError,
      intake: engine.receipts,
    });
    stack.defer(() => reach.close());
    const slots = new Slots({
      db: watch.lanes,
      fleet,
      now,
      onChange: (operator, held, graceMs) => reach.sms.setSlots(operator, held, graceMs),
      isBound: (operator, slot) => reach.sms.isBound(operator, slot),
    });

    const prefixes = { livePrefix: config.server.liveKeyPrefix, testPrefix: config.server.testKeyPrefix };
    const authenticator = createAuthenticator({
      db: watch.db,
      ring,
      prefixes,
      now,
      adminToken: config.server.adminToken,
    });
    const changed = () => {
      accounts.clear();
      authenticator.clear();
      webhooks.clear();
    };
    const endpoints = new EndpointManager({
      db: inside(db),
      ring,
      now,
      changed,
      allowPrivate: config.webhooks.allowPrivateTargets,
      mostPerHost: () => config.limits.webhookEndpointsPerHost,
      exclusive: (accountId, work) => withAccountLocked(db, accountId, work),
      newEndpointId: (accountId) => ids('whe_', shardForAccount(accountId)),
    });

    const refusals = new Refusals({
      now,
      logger,
      observe: observe.refusal,
      failuresPerMinute: () => config.limits.authenticationFailuresPerMinute,
    });
    const { own } = reach;
    const loops = createLoops({
      engine,
      fleet,
      slots,
      accounts,
      authenticator,
      webhooks,
      own,
      refusals,
      changed,
      metrics,
      logger,
    });
    stack.defer(() => loops.stop());
    await fleet.renew();
    await slots.configure(reach.sms.bindCounts());
    await slots.balance();
    await own.numbers.refresh();

    let ownUrl = '';
    const publicUrl = () => config.service.publicBaseUrl ?? ownUrl;
    const addresses = clientAddresses(() => config.trustedProxies);
    const rateLimiter = callLimiter(() => config.limits.accountCallsPerSecond, now);
    const api = await startApi({
      services: services({
        config: () => config,
        db,
        lists,
        engine,
        accounts,
        endpoints,
        webhooks,
        waba: own.manager,
        publicUrl,
        rules,
        ring,
        ids,
        now,
        prefixes,
        changed,
      }),
      authenticator,
      logger,
      observer: observe.call,
      openRegistration: config.server.openRegistration,
      rateLimiter,
      refusals,
      addresses,
      unauthenticatedConnectionsPerAddress: () => config.limits.unauthenticatedConnectionsPerAddress,
      http: {
        host: config.server.host,
        port: config.server.port,
        ...(config.server.httpTls ? { tls: pem(config.server.httpTls) } : {}),
      },
      grpc: {
        host: config.server.host,
        port: config.server.grpcPort,
        ...(config.server.grpcTls ? { tls: pem(config.server.grpcTls) } : {}),
      },
      hooks: {
        readiness: readiness({ db: watch.db as never, sms: reach.sms, slots, housekeeper }),
        mounts: [
          ...reach.callbacks,
          signupPages({ waba: own.manager, config: () => config, addresses, limiter: rateLimiter, logger }),
        ],
        metrics: async () => ({ contentType: metrics.register.contentType, body: await metrics.register.metrics() }),
      },
    });
    ownUrl = `${config.server.httpTls ? 'https' : 'http'}://localhost:${api.httpPort}`;
    loops.start(housekeeper);
    stack.move(); // From here on `close` takes it down, in its own order.

    let closing: Promise<void> | undefined;
    const close = async () => {
      await api.close(drainMs, config.server.drainSeconds * 1000);
      await loops.stop();
      refusals.sweep(true);
      await engine.drain(drainMs);
      await slots.release().catch((error) => onError(error, { step: 'slots' }));
      await reach.close();
      await webhooks.stop(drainMs);
      await authenticator.flush().catch((error) => onError(error, { step: 'keys' }));
      await fleet.leave().catch((error) => onError(error, { step: 'fleet' }));
      await Promise.all([database.close(), watch.close()]);
    };
    return {
      httpPort: api.httpPort,
      grpcPort: api.grpcPort,
      async reload(next) {
        const restartNeeded = await reach.reload(config, next);
        // What only a restart can change stays as it is: a live service must not become a sandbox by a signal.
        config = { ...next, server: config.server, sandbox: config.sandbox, scenarioPrefix: config.scenarioPrefix };
        followed.follow(next);
        // Longer retention makes longer partitions: at once, not within the hour.
        await housekeeper.open().catch((error) => onError(error, { step: 'partitions' }));
        await slots.configure(reach.sms.bindCounts());
        await slots.balance();
        // An operator that was made anew has no binds yet, though its slots are ours; for the others nothing changes.
        await Promise.all(next.operators.map(({ id }) => reach.sms.setSlots(id, slots.held(id))));
        return restartNeeded;
      },
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function ringOf(config: Config) {
  const parsed = parseKeyRing(config.server.keyRingJson);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
  return parsed.ring;
}

const pem = ({ cert, key }: { cert: string; key: string }) => ({ cert: Buffer.from(cert), key: Buffer.from(key) });
