// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import type { Caller } from '../operation.ts';
import { AccountsResource } from './resources/accounts.ts';
import { ApiKeysResource } from './resources/api-keys.ts';
import { SenderIdsResource } from './resources/sender-ids.ts';
import { VerifyResource } from './resources/verify.ts';
import { WabaResource } from './resources/waba.ts';
import { WebhookEndpointsResource } from './resources/webhook-endpoints.ts';

/** Every resource of the service, over whichever transport. */
export class Resources {
  /** Verifies that somebody controls a phone number. */
  readonly verify: VerifyResource;
  /** Accounts and their settings. A test key sees and changes the settings of test mode. */
  readonly accounts: AccountsResource;
  /** API keys of the account. */
  readonly apiKeys: ApiKeysResource;
  /** Custom sender names of the account. */
  readonly senderIds: SenderIdsResource;
  /**
   * The business's own account at the messaging platform. Once it is linked, the account's live messages on that
   * channel go out from the business's own number. There is none in test mode.
   */
  readonly waba: WabaResource;
  /** Webhook endpoints of the account; those of live and of test mode are apart. */
  readonly webhookEndpoints: WebhookEndpointsResource;

  /** @internal */
  constructor(caller: Caller) {
    this.verify = new VerifyResource(caller);
    this.accounts = new AccountsResource(caller);
    this.apiKeys = new ApiKeysResource(caller);
    this.senderIds = new SenderIdsResource(caller);
    this.waba = new WabaResource(caller);
    this.webhookEndpoints = new WebhookEndpointsResource(caller);
  }
}

export { AccountsResource, ApiKeysResource, SenderIdsResource, VerifyResource, WabaResource, WebhookEndpointsResource };
