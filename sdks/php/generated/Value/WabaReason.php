<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a link is broken, disconnected, or tried again.
 *
 * Answers may hold words that are newer than this list.
 */
final class WabaReason
{
    /** The code of the signup was not exchanged within its 30 seconds. Start the signup again. */
    public const CODE_EXPIRED = 'code_expired';

    /** The platform does not take the code of the signup, or not any more. Start the signup again. */
    public const CODE_REFUSED = 'code_refused';

    /** The platform does not take the token. */
    public const TOKEN_REFUSED = 'token_refused';

    /** The token of a linked account stopped working. Link it again. */
    public const TOKEN_REVOKED = 'token_revoked';

    /** The token lacks a permission, or was made for another account. */
    public const PERMISSION_MISSING = 'permission_missing';

    /** The token was made for another app than this deployment's: what becomes of messages would be told there. */
    public const TOKEN_OF_OTHER_APP = 'token_of_other_app';

    /** The account does not list that phone number. */
    public const NUMBER_NOT_FOUND = 'number_not_found';

    /** The phone number belongs to another account of this service. */
    public const PHONE_NUMBER_TAKEN = 'phone_number_taken';

    /**
     * The number has a two-step verification PIN, and another one. Connect by hand with that PIN, or switch it off at
     * the platform.
     */
    public const PIN_REFUSED = 'pin_refused';

    /** The platform does not register the number; see `error_code`. */
    public const REGISTRATION_REFUSED = 'registration_refused';

    /** The platform does not take the authentication template; see `error_code`. */
    public const TEMPLATE_REFUSED = 'template_refused';

    /** The platform's review rejected the templates. */
    public const TEMPLATES_REJECTED = 'templates_rejected';

    /** The platform's review did not end within three days. */
    public const APPROVAL_TIMEOUT = 'approval_timeout';

    /** The platform refused the step; see `error_code`. */
    public const REFUSED = 'refused';

    /** The platform can not be reached or has trouble of its own. Tried again for a day. */
    public const PLATFORM_UNAVAILABLE = 'platform_unavailable';

    /** The business took its account back at the platform. */
    public const UNINSTALLED = 'uninstalled';

    /** It was unlinked by a call. */
    public const REQUESTED = 'requested';

    /** The key that the link's secrets were sealed with is gone. Link it again. */
    public const SECRET_LOST = 'secret_lost';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::CODE_EXPIRED,
        self::CODE_REFUSED,
        self::TOKEN_REFUSED,
        self::TOKEN_REVOKED,
        self::PERMISSION_MISSING,
        self::TOKEN_OF_OTHER_APP,
        self::NUMBER_NOT_FOUND,
        self::PHONE_NUMBER_TAKEN,
        self::PIN_REFUSED,
        self::REGISTRATION_REFUSED,
        self::TEMPLATE_REFUSED,
        self::TEMPLATES_REJECTED,
        self::APPROVAL_TIMEOUT,
        self::REFUSED,
        self::PLATFORM_UNAVAILABLE,
        self::UNINSTALLED,
        self::REQUESTED,
        self::SECRET_LOST,
    ];
}
