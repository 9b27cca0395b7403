<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How a code travels.
 *
 * Answers may hold words that are newer than this list.
 */
final class Channel
{
    /** A text message over SMPP. */
    public const SMS = 'sms';

    /** A message of the messaging app. */
    public const WHATSAPP = 'whatsapp';

    /** A call that reads the code out. */
    public const VOICE = 'voice';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::SMS,
        self::WHATSAPP,
        self::VOICE,
    ];
}
