// Every service of the contract with its handlers.

import { randomBytes } from 'node:crypto';
import { accountService } from '../api/handlers/accounts/account.ts';
import { apiKeyService } from '../api/handlers/accounts/api-key.ts';
import { senderIdService } from '../api/handlers/accounts/sender.ts';
import { requestHasher, verifyService } from '../api/handlers/verify/service.ts';
import { wabaService } from '../api/handlers/waba/service.ts';
import { webhookEndpointService } from '../api/handlers/webhooks/service.ts';
import { type RegisteredService, service } from '../api/waist/invoke.ts';
import type { KeyPrefixes } from '../core/accounts/api-key.ts';
import { inside } from '../db/queryable.ts';
import type { Accounts } from '../engine/accounts/views.ts';
import type { Engine } from '../engine/engine.ts';
import type { WabaManager } from '../engine/waba/manage.ts';
import { Deliveries } from '../engine/webhooks/deliveries.ts';
import type { EndpointManager } from '../engine/webhooks/manage.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import { VerifyService } from '../gen/ramz/v1/verify_pb.ts';
import type { Base } from './base.ts';

export interface ServiceParts {
  engine: Engine;
  accounts: Accounts;
  endpoints: EndpointManager;
  webhooks: Webhooks;
  waba: WabaManager;
  /** Where browsers find us, without a slash at its end. */
  publicUrl(): string;
  prefixes: KeyPrefixes;
  changed(): void;
}

export function services(base: Base, parts: ServiceParts): RegisteredService[] {
  const { live, database, ring, ids, now } = base;
  const { db, lists } = database;
  const { engine, accounts, endpoints, webhooks, waba, publicUrl, prefixes, changed } = parts;
  const settings = () => live.config;
  const maker = { db, ids, ring, prefixes, now, randomBytes };
  const reads = inside(db);
  const verify = verifyService({
    engine,
    accounts,
    rules: live.rules,
    now,
    db: reads,
    lists,
    hasher: requestHasher(ring),
    settings,
    watchesPerAccount: () => live.config.limits.watchesPerAccount,
  });
  return [
    service(VerifyService, verify),
    accountService({ ...maker, changed, settings }),
    apiKeyService({ ...maker, changed }),
    webhookEndpointService({ endpoints, deliveries: new Deliveries(webhooks, { db: reads, lists }) }),
    wabaService({ waba, publicUrl, language: async (id) => (await accounts.view(id, 'live')).language }),
    senderIdService({ db, ids, now, changed, operators: () => live.config.operators.map(({ id }) => id) }),
  ];
}
