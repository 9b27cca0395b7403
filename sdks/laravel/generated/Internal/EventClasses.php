<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Internal;

use Ramz\Laravel\Events\EndpointDisabled;
use Ramz\Laravel\Events\MessageFailed;
use Ramz\Laravel\Events\MessageSubmitted;
use Ramz\Laravel\Events\NumberLocked;
use Ramz\Laravel\Events\ReceiptUpdated;
use Ramz\Laravel\Events\SenderIdDecided;
use Ramz\Laravel\Events\SessionCanceled;
use Ramz\Laravel\Events\SessionDeliveryExhausted;
use Ramz\Laravel\Events\SessionExpired;
use Ramz\Laravel\Events\SessionFailed;
use Ramz\Laravel\Events\SessionVerified;
use Ramz\Laravel\Events\WabaConnected;
use Ramz\Laravel\Events\WabaDisconnected;

/**
 * Which event class a webhook of a type becomes.
 *
 * @internal
 */
final class EventClasses
{
    /** @var array<string, class-string> */
    public const BY_TYPE = [
        'receipt.updated' => ReceiptUpdated::class,
        'message.submitted' => MessageSubmitted::class,
        'message.failed' => MessageFailed::class,
        'session.verified' => SessionVerified::class,
        'session.expired' => SessionExpired::class,
        'session.canceled' => SessionCanceled::class,
        'session.failed' => SessionFailed::class,
        'session.delivery_exhausted' => SessionDeliveryExhausted::class,
        'number.locked' => NumberLocked::class,
        'sender_id.decided' => SenderIdDecided::class,
        'waba.connected' => WabaConnected::class,
        'waba.disconnected' => WabaDisconnected::class,
        'endpoint.disabled' => EndpointDisabled::class,
    ];
}
