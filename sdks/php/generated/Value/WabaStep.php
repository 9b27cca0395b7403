<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * A step of linking, in their order.
 *
 * Answers may hold words that are newer than this list.
 */
final class WabaStep
{
    /** The code of the signup is exchanged for a token. */
    public const EXCHANGE_CODE = 'exchange_code';

    /** The account must list the phone number. */
    public const CHECK_NUMBER = 'check_number';

    /** The platform is told to report about the account to this service. */
    public const SUBSCRIBE = 'subscribe';

    /** The number is registered with the Cloud API, with its PIN. */
    public const REGISTER = 'register';

    /** The authentication templates are created. */
    public const CREATE_TEMPLATES = 'create_templates';

    /** The platform reviews the templates. */
    public const AWAIT_APPROVAL = 'await_approval';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::EXCHANGE_CODE,
        self::CHECK_NUMBER,
        self::SUBSCRIBE,
        self::REGISTER,
        self::CREATE_TEMPLATES,
        self::AWAIT_APPROVAL,
    ];
}
