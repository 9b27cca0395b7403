<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Model\EndpointEvent;
use Ramz\Model\MessageEvent;
use Ramz\Model\NumberEvent;
use Ramz\Model\Receipt;
use Ramz\Model\SenderIdEvent;
use Ramz\Model\SessionEvent;
use Ramz\Model\WabaEvent;

/**
 * Which model the `data` of an event is.
 *
 * @internal
 */
final class EventData
{
    /**
     * @param array<mixed> $data
     *
     * @return EndpointEvent|MessageEvent|NumberEvent|Receipt|SenderIdEvent|SessionEvent|WabaEvent|array<mixed> as it
     *   came where the type is unknown
     */
    public static function read(string $type, array $data): \JsonSerializable|array
    {
        return match ($type) {
            'endpoint.disabled' => EndpointEvent::fromArray($data),
            'message.submitted', 'message.failed' => MessageEvent::fromArray($data),
            'number.locked' => NumberEvent::fromArray($data),
            'receipt.updated' => Receipt::fromArray($data),
            'sender_id.decided' => SenderIdEvent::fromArray($data),
            'session.verified',
            'session.expired',
            'session.canceled',
            'session.failed',
            'session.delivery_exhausted' => SessionEvent::fromArray($data),
            'waba.connected', 'waba.disconnected' => WabaEvent::fromArray($data),
            default => $data,
        };
    }
}
