<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a message's status is what it is, where the status does not say it.
 *
 * Answers may hold words that are newer than this list.
 */
final class MessageReason
{
    /** The sender was refused (a name, or the business's own number), and the default one too or there is none. */
    public const SENDER_ID_REFUSED = 'sender_id_refused';

    /** The carrier refused the message for good; its own code is in `error_code`. */
    public const SUBMIT_REFUSED = 'submit_refused';

    /** The carrier did not answer the submission in time. */
    public const TIMEOUT = 'timeout';

    /** The connection broke before the carrier answered. */
    public const CONNECTION_LOST = 'connection_lost';

    /** The process that was submitting it died before the answer was stored. */
    public const PROCESS_LOST = 'process_lost';

    /** The carrier answered in no form it documents, so whether it took the message is not known. */
    public const UNREADABLE_ANSWER = 'unreadable_answer';

    /** The text has no form that the operator takes. */
    public const UNENCODABLE = 'unencodable';

    /** The number can not be reached on the messaging app. */
    public const NOT_ON_APP = 'not_on_app';

    /** The carrier asked to slow down, or had trouble of its own, until there was no point in asking again. */
    public const THROTTLED = 'throttled';

    /** The channel refuses to serve this deployment for the time being; its operator was told. */
    public const CHANNEL_DOWN = 'channel_down';

    /** The carrier can not use what this deployment is set up to send; its operator was told. */
    public const MISCONFIGURED = 'misconfigured';

    /** A fault of this service while it was being submitted. */
    public const INTERNAL_ERROR = 'internal_error';

    /** The operator of the service suspended the account before the message was sent. */
    public const ACCOUNT_SUSPENDED = 'account_suspended';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::SENDER_ID_REFUSED,
        self::SUBMIT_REFUSED,
        self::TIMEOUT,
        self::CONNECTION_LOST,
        self::PROCESS_LOST,
        self::UNREADABLE_ANSWER,
        self::UNENCODABLE,
        self::NOT_ON_APP,
        self::THROTTLED,
        self::CHANNEL_DOWN,
        self::MISCONFIGURED,
        self::INTERNAL_ERROR,
        self::ACCOUNT_SUSPENDED,
    ];
}
