<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Internal;

use Ramz\Client;
use Ramz\Resource\AccountsResource;
use Ramz\Resource\ApiKeysResource;
use Ramz\Resource\SenderIdsResource;
use Ramz\Resource\VerifyResource;
use Ramz\Resource\WabaResource;
use Ramz\Resource\WebhookEndpointsResource;

/**
 * The client's resources as methods.
 *
 * @internal
 */
trait Resources
{
    abstract public function client(): Client;

    /** Verifies that somebody controls a phone number. */
    public function verify(): VerifyResource
    {
        return $this->client()->verify;
    }

    /** Accounts and their settings. A test key sees and changes the settings of test mode. */
    public function accounts(): AccountsResource
    {
        return $this->client()->accounts;
    }

    /** API keys of the account. */
    public function apiKeys(): ApiKeysResource
    {
        return $this->client()->apiKeys;
    }

    /** Custom sender names of the account. */
    public function senderIds(): SenderIdsResource
    {
        return $this->client()->senderIds;
    }

    /**
     * The business's own account at the messaging platform. Once it is linked, the account's live messages on that
     * channel go out from the business's own number. There is none in test mode.
     */
    public function waba(): WabaResource
    {
        return $this->client()->waba;
    }

    /** Webhook endpoints of the account; those of live and of test mode are apart. */
    public function webhookEndpoints(): WebhookEndpointsResource
    {
        return $this->client()->webhookEndpoints;
    }
}
