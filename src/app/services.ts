// Every service of the contract with its handlers.

import { accountService } from '../api/handlers/accounts/accounts.ts';
import { apiKeyService } from '../api/handlers/accounts/api-keys.ts';
import { senderIdService } from '../api/handlers/accounts/senders.ts';
import { verifyService } from '../api/handlers/verify/service.ts';
import { wabaService } from '../api/handlers/waba/waba.ts';
import { webhookEndpointService } from '../api/handlers/webhooks/endpoints.ts';
import { type RegisteredService, service } from '../api/waist/invoke.ts';
import type { Accounts } from '../engine/accounts/accounts.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import type { Engine } from '../engine/engine.ts';
import type { Waba } from '../engine/waba/waba.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import { VerifyService } from '../gen/ramz/v1/verify_pb.ts';
import type { Base } from './base.ts';

export interface ServiceParts {
  engine: Engine;
  accounts: Accounts;
  views: AccountViews;
  webhooks: Webhooks;
  waba: Waba;
  /** Where browsers find us, without a slash at its end. */
  publicUrl(): string;
}

export function services(base: Base, parts: ServiceParts): RegisteredService[] {
  const { live, now } = base;
  const { engine, accounts, views, webhooks, waba, publicUrl } = parts;
  const settings = () => live.config;
  const verify = verifyService({
    engine,
    settings: live,
    now,
    watchesPerAccount: () => live.config.limits.watchesPerAccount,
  });
  return [
    service(VerifyService, verify),
    accountService({ accounts, settings }),
    apiKeyService({ keys: accounts.keys, now }),
    webhookEndpointService(webhooks),
    wabaService({ waba, publicUrl, language: async (id) => (await views.view(id, 'live')).language }),
    senderIdService({ senders: accounts.senders }),
  ];
}
