<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** Whether the code was right. Only `valid: true` verifies; the HTTP status does not. */
final class CheckResponse implements \JsonSerializable
{
    /**
     * @param bool $valid The code was right, in time, and had not been used before.
     * @param string $id Session the code was checked for.
     * @param string $status How the verification stands now. Words: {@see \Ramz\Value\SessionStatus}.
     * @param string $reason Why the code was not valid; else empty. Words: {@see \Ramz\Value\CheckReason}.
     * @param int $attemptsRemaining Tries left at the code.
     * @param \DateTimeImmutable|null $verifiedAt When the session was verified; absent where it is not.
     * @param bool $test Session of a test key.
     */
    public function __construct(
        public readonly bool $valid = false,
        public readonly string $id = '',
        public readonly string $status = '',
        public readonly string $reason = '',
        public readonly int $attemptsRemaining = 0,
        public readonly ?\DateTimeImmutable $verifiedAt = null,
        public readonly bool $test = false,
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
            valid: Json::flag($data, 'valid'),
            id: Json::text($data, 'id'),
            status: Json::text($data, 'status'),
            reason: Json::text($data, 'reason'),
            attemptsRemaining: Json::integer($data, 'attempts_remaining'),
            verifiedAt: Json::time($data, 'verified_at'),
            test: Json::flag($data, 'test'),
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
            'valid' => $this->valid,
            'id' => $this->id,
            'status' => $this->status,
            'reason' => $this->reason,
            'attempts_remaining' => $this->attemptsRemaining,
            'verified_at' => Timestamp::write($this->verifiedAt),
            'test' => $this->test,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
