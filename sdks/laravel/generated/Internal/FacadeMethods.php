<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Internal;

use Illuminate\Support\Facades\Facade;
use Ramz\Resource\AccountsResource;
use Ramz\Resource\ApiKeysResource;
use Ramz\Resource\SenderIdsResource;
use Ramz\Resource\VerifyResource;
use Ramz\Resource\WabaResource;
use Ramz\Resource\WebhookEndpointsResource;

/**
 * What editors are to know of the facade's methods.
 *
 * @internal
 *
 * @method static VerifyResource verify()
 * @method static AccountsResource accounts()
 * @method static ApiKeysResource apiKeys()
 * @method static SenderIdsResource senderIds()
 * @method static WabaResource waba()
 * @method static WebhookEndpointsResource webhookEndpoints()
 */
abstract class FacadeMethods extends Facade
{
}
