// Every service of the contract with its handlers.

import { randomBytes } from 'node:crypto';
import { accountService } from '../api/handlers/accounts/account.ts';
import { apiKeyService } from '../api/handlers/accounts/api-key.ts';
import { senderIdService } from '../api/handlers/accounts/sender.ts';
import { requestHasher, verifyService } from '../api/handlers/verify/service.ts';
import { wabaService } from '../api/handlers/waba/service.ts';
import { webhookEndpointService } from '../api/handlers/webhooks/service.ts';
import { type RegisteredService, service } from '../api/waist/invoke.ts';
import type { Config } from '../config.ts';
import type { KeyPrefixes } from '../core/accounts/api-key.ts';
import type { IdSource } from '../core/ids.ts';
import type { KeyRing } from '../core/secrets/key-ring.ts';
import type { Rules } from '../core/verify/rules.ts';
import { inside } from '../db/inside.ts';
import type { Reads } from '../db/queryable.ts';
import type { Db } from '../db/schema.ts';
import type { Accounts } from '../engine/accounts/views.ts';
import type { Engine } from '../engine/engine.ts';
import type { WabaManager } from '../engine/waba/manage.ts';
import { Deliveries } from '../engine/webhooks/deliveries.ts';
import type { EndpointManager } from '../engine/webhooks/manage.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import { VerifyService } from '../gen/ramz/v1/verify_pb.ts';

export interface ServiceParts {
  config(): Config;
  db: Db;
  /** The connections for lists. */
  lists: Reads;
  engine: Engine;
  accounts: Accounts;
  endpoints: EndpointManager;
  webhooks: Webhooks;
  waba: WabaManager;
  /** Where browsers find us, without a slash at its end. */
  publicUrl(): string;
  rules: Rules;
  ring: KeyRing;
  ids: IdSource;
  now(): number;
  prefixes: KeyPrefixes;
  changed(): void;
}

export function services(parts: ServiceParts): RegisteredService[] {
  const {
    config,
    db,
    lists,
    engine,
    accounts,
    endpoints,
    webhooks,
    waba,
    publicUrl,
    rules,
    ring,
    ids,
    now,
    prefixes,
    changed,
  } = parts;
  const maker = { db, ids, ring, prefixes, now, randomBytes };
  const reads = inside(db);
  const verify = verifyService({
    engine,
    accounts,
    rules,
    now,
    db: reads,
    lists,
    hasher: requestHasher(ring),
    settings: config,
    watchesPerAccount: () => config().limits.watchesPerAccount,
  });
  return [
    service(VerifyService, verify),
    accountService({ ...maker, changed, settings: config }),
    apiKeyService({ ...maker, changed }),
    webhookEndpointService({ endpoints, deliveries: new Deliveries(webhooks, { db: reads, lists }) }),
    wabaService({ waba, publicUrl, language: async (id) => (await accounts.view(id, 'live')).language }),
    senderIdService({ db, ids, now, changed, operators: () => config().operators.map(({ id }) => id) }),
  ];
}
