<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How the link to a business's own messaging-app account stands.
 *
 * Answers may hold words that are newer than this list.
 */
final class WabaStatus
{
    /** The steps at the platform are being taken. */
    public const CONNECTING = 'connecting';

    /** Messages go out from the business's own number. */
    public const CONNECTED = 'connected';

    /** It could not be linked, or stopped working; see `reason`. Messages go out from the platform's number. */
    public const BROKEN = 'broken';

    /** It was unlinked; see `reason`. */
    public const DISCONNECTED = 'disconnected';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::CONNECTING,
        self::CONNECTED,
        self::BROKEN,
        self::DISCONNECTED,
    ];
}
