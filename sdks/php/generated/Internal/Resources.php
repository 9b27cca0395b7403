<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Resource\AccountsResource;
use Ramz\Resource\ApiKeysResource;
use Ramz\Resource\SenderIdsResource;
use Ramz\Resource\VerifyResource;
use Ramz\Resource\WabaResource;
use Ramz\Resource\WebhookEndpointsResource;

/**
 * What a client offers: one property for each resource.
 *
 * @internal
 */
abstract class Resources
{
    /** Verifies that somebody controls a phone number. */
    public readonly VerifyResource $verify;

    /** Accounts and their settings. A test key sees and changes the settings of test mode. */
    public readonly AccountsResource $accounts;

    /** API keys of the account. */
    public readonly ApiKeysResource $apiKeys;

    /** Custom sender names of the account. */
    public readonly SenderIdsResource $senderIds;

    /**
     * The business's own account at the messaging platform. Once it is linked, the account's live messages on that
     * channel go out from the business's own number. There is none in test mode.
     */
    public readonly WabaResource $waba;

    /** Webhook endpoints of the account; those of live and of test mode are apart. */
    public readonly WebhookEndpointsResource $webhookEndpoints;

    protected function __construct(Caller $caller)
    {
        $this->verify = new VerifyResource($caller);
        $this->accounts = new AccountsResource($caller);
        $this->apiKeys = new ApiKeysResource($caller);
        $this->senderIds = new SenderIdsResource($caller);
        $this->waba = new WabaResource($caller);
        $this->webhookEndpoints = new WebhookEndpointsResource($caller);
    }
}
