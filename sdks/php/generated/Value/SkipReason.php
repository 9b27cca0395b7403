<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a leg of the cascade was not taken.
 *
 * Answers may hold words that are newer than this list.
 */
final class SkipReason
{
    /** This deployment has no such channel. */
    public const CHANNEL_NOT_CONFIGURED = 'channel_not_configured';

    /** No operator serves the number on this channel. */
    public const NO_OPERATOR = 'no_operator';

    /** The sender name is not approved at the number's operator. */
    public const SENDER_ID_NOT_APPROVED = 'sender_id_not_approved';

    /** The channel refuses to serve this deployment for the time being; its operator was told. */
    public const CHANNEL_DOWN = 'channel_down';

    /** The account allows only channels that stay in the country. */
    public const IN_COUNTRY_ONLY = 'in_country_only';

    /** The operator of the service has suspended the account. */
    public const ACCOUNT_SUSPENDED = 'account_suspended';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::CHANNEL_NOT_CONFIGURED,
        self::NO_OPERATOR,
        self::SENDER_ID_NOT_APPROVED,
        self::CHANNEL_DOWN,
        self::IN_COUNTRY_ONLY,
        self::ACCOUNT_SUSPENDED,
    ];
}
