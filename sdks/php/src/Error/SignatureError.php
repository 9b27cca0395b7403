<?php

declare(strict_types=1);

namespace Ramz\Error;

/** A webhook is not genuine: answer 400 and do nothing. */
final class SignatureError extends RamzError
{
    public const MALFORMED = 'malformed';
    public const TOO_OLD = 'too_old';
    public const TOO_NEW = 'too_new';
    public const NO_MATCH = 'no_match';

    private const MESSAGES = [
        self::MALFORMED => 'the webhook lacks an id, a timestamp or a body that can be read',
        self::TOO_OLD => 'the webhook was signed too long ago',
        self::TOO_NEW => 'the webhook was signed in the future: compare the clocks',
        self::NO_MATCH => 'no signature of the webhook fits the secret and the raw body',
    ];

    /** @param string $reason One of the constants. */
    public function __construct(public readonly string $reason)
    {
        parent::__construct(self::MESSAGES[$reason]);
    }
}
