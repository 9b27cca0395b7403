<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them.
 *
 * Answers may hold words that are newer than this list.
 */
final class ReceiptStatus
{
    /** On its way; not final. */
    public const ENROUTE = 'ENROUTE';

    /** Delivered to the phone. */
    public const DELIVRD = 'DELIVRD';

    /** Its validity period ended. */
    public const EXPIRED = 'EXPIRED';

    /** Deleted at the operator. */
    public const DELETED = 'DELETED';

    /** It can not be delivered. */
    public const UNDELIV = 'UNDELIV';

    /** Taken over on the subscriber's behalf; not final. */
    public const ACCEPTD = 'ACCEPTD';

    /** The operator does not know. */
    public const UNKNOWN = 'UNKNOWN';

    /** The operator rejected it. */
    public const REJECTD = 'REJECTD';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::ENROUTE,
        self::DELIVRD,
        self::EXPIRED,
        self::DELETED,
        self::UNDELIV,
        self::ACCEPTD,
        self::UNKNOWN,
        self::REJECTD,
    ];
}
