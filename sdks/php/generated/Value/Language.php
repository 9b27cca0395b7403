<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Language of the text or of the call.
 *
 * Answers may hold words that are newer than this list.
 */
final class Language
{
    /** Arabic; a call speaks the local dialect. */
    public const AR = 'ar';

    /** French. */
    public const FR = 'fr';

    /** English, for text only: a call then uses the account's `ar` or `fr`. */
    public const EN = 'en';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::AR,
        self::FR,
        self::EN,
    ];
}
