// The API of a process: its services, its two ports, and what else they answer (health, metrics, callbacks, the signup's page). The
// parts are put together here, so that each of them knows only its own interfaces.

import { type ClientAddresses, clientAddresses } from '../api/clients/address.ts';
import type { Refusals } from '../api/clients/refusals.ts';
import { settingsOf } from '../api/docs/deployment.ts';
import { accountService } from '../api/handlers/accounts/accounts.ts';
import { adminService } from '../api/handlers/accounts/admin.ts';
import { apiKeyService } from '../api/handlers/accounts/api-keys.ts';
import { auditService } from '../api/handlers/accounts/audit.ts';
import { limitListService } from '../api/handlers/accounts/lists.ts';
import { senderIdService } from '../api/handlers/accounts/senders.ts';
import { numberService } from '../api/handlers/erasure/numbers.ts';
import { limitsService } from '../api/handlers/limits/limits.ts';
import { operatorService } from '../api/handlers/operators/operators.ts';
import { verifyService } from '../api/handlers/verify/service.ts';
import { getSummary } from '../api/handlers/verify/summary.ts';
import { wabaService } from '../api/handlers/waba/waba.ts';
import { webhookEndpointService } from '../api/handlers/webhooks/endpoints.ts';
import { clientOf, type Mount } from '../api/http.ts';
import { type Api, type ApiOptions, startApi } from '../api/server.ts';
import { signupMount } from '../api/signup/mount.ts';
import { signupPath } from '../api/signup/page.ts';
import { type RegisteredService, service } from '../api/waist/invoke.ts';
import type { Authenticator } from '../api/waist/ports.ts';
import { isLoopback } from '../config/doors.ts';
import type { ServerConfig } from '../config/server.ts';
import type { TlsIdentity } from '../config/tls-identity.ts';
import { ofCell } from '../core/fleet/cells.ts';
import type { Language } from '../core/verify/session.ts';
import { inside } from '../db/queryable.ts';
import type { Account, Accounts } from '../engine/accounts/accounts.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import type { Channels } from '../engine/delivery/channels.ts';
import type { Engine } from '../engine/engine.ts';
import { Erasure } from '../engine/erasure/erasure.ts';
import { AccountExport } from '../engine/erasure/export.ts';
import type { Slots } from '../engine/fleet/slots.ts';
import { AccountLimits } from '../engine/limits/account-limits.ts';
import { DryRuns } from '../engine/limits/dry-run.ts';
import { Guard } from '../engine/limits/guard.ts';
import type { Stops } from '../engine/limits/stops.ts';
import type { Operators } from '../engine/operators/operators.ts';
import { Summaries } from '../engine/reports/summary.ts';
import type { Waba } from '../engine/waba/waba.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import { VerifyService } from '../gen/ramz/v1/verify_pb.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Base } from './base.ts';
import { type CallLimiter, callLimiter, strangerLimiter } from './call-limiter.ts';
import { mapOf } from './cells.ts';
import { certificateRenewal } from './certificates.ts';
import type { ChannelSet } from './channels.ts';
import type { Housekeeper } from './housekeeper.ts';
import type { LiveSettings } from './live-settings.ts';
import { readiness } from './readiness.ts';

export interface ApiParts extends Omit<ServiceParts, 'waba' | 'publicUrl'> {
  authenticator: Authenticator;
  refusals: Refusals;
  reach: ChannelSet;
  slots: Slots;
  housekeeper: Housekeeper;
}

export interface OpenApi extends Omit<Api, 'renewCertificates'> {
  /** Takes over certificates that a reload has found. */
  renew: ReturnType<typeof certificateRenewal>;
}

/** @throws when a port is taken; nothing is left open. */
export async function openApi(base: Base, parts: ApiParts): Promise<OpenApi> {
  const { live, cells, now, logger, metrics, observe, pages } = base;
  const { reach, authenticator, refusals, slots, housekeeper } = parts;
  const { server } = live.config;
  let ownUrl = '';
  const addresses = clientAddresses(() => live.config.trustedProxies);
  const limiter = callLimiter(() => live.config.limits.accountCallsPerSecond, now);
  const { waba } = reach;
  const publicUrl = () => live.config.service.publicBaseUrl ?? ownUrl;
  const api = await startApi({
    services: services(base, { ...parts, waba, publicUrl }),
    authenticator,
    logger,
    observer: observe.call,
    openRegistration: server.openRegistration,
    rateLimiter: strangerLimiter(limiter, () => live.config.limits, now),
    refusals,
    addresses,
    unauthenticatedConnectionsPerAddress: () => live.config.limits.unauthenticatedConnectionsPerAddress,
    http: { host: server.host, port: server.port, ...tls(server.httpTls) },
    grpc: { host: server.host, port: server.grpcPort, reflection: server.reflection, ...tls(server.grpcTls) },
    ...metricsPort(server, metrics),
    hooks: {
      readiness: readiness({ cells, sms: reach.sms, voice: reach.voice, slots, housekeeper }),
      viewer: { pages, sandboxKey: server.sandboxKey },
      deployment: () => ({ url: withoutSlash(publicUrl()), settings: settingsOf(live.config.verify) }),
      mounts: [...reach.callbacks, signupPages({ waba, live, addresses, limiter, logger, publicUrl })],
    },
  });
  ownUrl = `${server.httpTls ? 'https' : 'http'}://localhost:${api.httpPort}`;
  return { ...api, renew: certificateRenewal(server, { api, metrics, logger }) };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** TLS there, too, where others reach it: on this machine alone no certificate fits. */
function metricsPort({ metrics: door, httpTls }: ServerConfig, { register }: Metrics): Pick<ApiOptions, 'metrics'> {
  if (door === null) return {};
  const metrics = async () => ({ contentType: register.contentType, body: await register.metrics() });
  return { metrics: { ...door, metrics, ...(isLoopback(door.host) ? {} : tls(httpTls)) } };
}

const tls = (identity: TlsIdentity | null) => (identity ? { tls: identity } : {});

export interface ServiceParts {
  engine: Engine;
  accounts: Accounts;
  channels: Channels;
  operators: Operators;
  stops: Stops;
  views: AccountViews;
  webhooks: Webhooks;
  waba: Waba;
  /** Where browsers find us, without a slash at its end. */
  publicUrl(): string;
}

function services(base: Base, parts: ServiceParts): RegisteredService[] {
  const { live, cells, database, ring, now } = base;
  const { engine, accounts, channels, operators, stops, views, webhooks, waba, publicUrl } = parts;
  const settings = () => live.config;
  const verify = verifyService({
    engine,
    settings: live,
    now,
    watchesPerAccount: () => live.config.limits.watchesPerAccount,
  });
  const summaries = new Summaries(
    cells.map(({ database }) => database.lists),
    now,
  );
  const byName = new Map(cells.map((cell) => [cell.name, cell.database.db]));
  const dbs = { home: database.plain, cells: cells.map((cell) => cell.database.plain) };
  const erasure = new Erasure(dbs, now, ring);
  const exports = new AccountExport(dbs, now, { ring, settings: live });
  const limits = new AccountLimits({ views, settings: live, home: inside(database.db) });
  const dryRuns = new DryRuns({
    accounts: views,
    settings: live,
    guard: new Guard({ settings: live, ring, now }),
    limits,
    channels,
    db: inside(database.db),
    now,
  });
  return [
    service(VerifyService, { ...verify, getSummary: getSummary(summaries) }),
    accountService({ accounts, settings, channels: (account) => channelsOf(channels, account) }),
    apiKeyService({ keys: accounts.keys, now }),
    webhookEndpointService(webhooks),
    wabaService({ waba, publicUrl, language: async (id) => (await views.view(id, 'live')).language }),
    senderIdService({ senders: accounts.senders }),
    limitListService({ lists: accounts.lists }),
    operatorService(operators),
    adminService({
      accounts,
      erasure,
      exports,
      stops,
      db: base.database.db,
      cells: { map: mapOf(live), of: (name) => ofCell(byName, name) },
      caches: base.caches,
      now,
    }),
    auditService(base.database.db),
    numberService(erasure),
    limitsService({
      limits,
      stops,
      dryRuns,
      now,
    }),
  ];
}

/** By what is known already: sender names play no part in which channels there are. */
function channelsOf(channels: Channels, { id, mode, language, in_country_only, default_sender_id }: Account) {
  const account = {
    id,
    inCountryOnly: in_country_only,
    defaultSenderId: default_sender_id,
    approvedSenders: new Map(),
  };
  return channels.states(mode, account, language as Language);
}

export interface SignupParts {
  waba: Waba;
  live: Pick<LiveSettings, 'config'>;
  addresses: ClientAddresses;
  limiter: CallLimiter;
  logger: Logger;
  /** Where browsers find the service. */
  publicUrl(): string;
}

export function signupPages({ waba, live, addresses, limiter, logger, publicUrl }: SignupParts): Mount {
  return signupMount({
    waba,
    logger,
    clientOf: (request) => clientOf(request, addresses),
    allow: (peer) => limiter.take({ principal: { kind: 'none' }, peer }),
    brand: () => live.config.service.brand,
    setup: () => {
      const { messaging } = live.config;
      if (!messaging?.signup || !waba.offersSignup) return null;
      const redirectUri = `${withoutSlash(publicUrl())}${signupPath}`;
      return { ...messaging.signup, version: messaging.graphVersion, redirectUri };
    },
  });
}
