<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A number that was locked after too many wrong codes: its checks are refused. */
final class NumberEvent implements \JsonSerializable
{
    /**
     * @param string $to Number the codes were for, E.164.
     * @param string $sessionId Session of the wrong code that locked the number.
     * @param int $failures Wrong codes for the number within the hour, over all its sessions.
     * @param int $failuresInRow Wrong codes for the number since its last right one.
     * @param \DateTimeImmutable|null $lockedUntil End of the lock; absent if only the operator of the service can
     *   unlock the number.
     * @param bool $needsUnlock True if only the operator of the service can unlock the number.
     */
    public function __construct(
        public readonly string $to = '',
        public readonly string $sessionId = '',
        public readonly int $failures = 0,
        public readonly int $failuresInRow = 0,
        public readonly ?\DateTimeImmutable $lockedUntil = null,
        public readonly bool $needsUnlock = false,
    ) {
    }

    /**
     * Reads decoded JSON. What is unknown is passed over, what is missing has its default.
     *
     * @param array<mixed> $data
     *
     * @throws \UnexpectedValueException A field is of another type.
     */
    public static function fromArray(array $data): self
    {
        return new self(
            to: Json::text($data, 'to'),
            sessionId: Json::text($data, 'session_id'),
            failures: Json::integer($data, 'failures'),
            failuresInRow: Json::integer($data, 'failures_in_row'),
            lockedUntil: Json::time($data, 'locked_until'),
            needsUnlock: Json::flag($data, 'needs_unlock'),
        );
    }

    /**
     * As the service writes it: what is absent is left out.
     *
     * @return array<string, mixed>
     */
    public function toArray(): array
    {
        return Json::given([
            'to' => $this->to,
            'session_id' => $this->sessionId,
            'failures' => $this->failures,
            'failures_in_row' => $this->failuresInRow,
            'locked_until' => Timestamp::write($this->lockedUntil),
            'needs_unlock' => $this->needsUnlock,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
