<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Who may call a method.
 *
 * Answers may hold words that are newer than this list.
 */
final class Access
{
    /** An API key of an account. */
    public const KEY = 'key';

    /** The admin token of the deployment. */
    public const ADMIN = 'admin';

    /** The admin token; anyone where registration is open. */
    public const REGISTRATION = 'registration';

    /** Anyone. */
    public const PUBLIC = 'public';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::KEY,
        self::ADMIN,
        self::REGISTRATION,
        self::PUBLIC,
    ];
}
