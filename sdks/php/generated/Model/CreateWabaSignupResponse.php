<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** The signup. */
final class CreateWabaSignupResponse implements \JsonSerializable
{
    /**
     * @param string $url The page to open in the business's browser. Whoever has the address can link an account:
     *   hand it to nobody else.
     * @param string $state The state in it, for a page of one's own: see ConnectWaba.
     * @param \DateTimeImmutable|null $expiresAt When it ends.
     */
    public function __construct(
        public readonly string $url = '',
        public readonly string $state = '',
        public readonly ?\DateTimeImmutable $expiresAt = null,
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
            url: Json::text($data, 'url'),
            state: Json::text($data, 'state'),
            expiresAt: Json::time($data, 'expires_at'),
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
            'url' => $this->url,
            'state' => $this->state,
            'expires_at' => Timestamp::write($this->expiresAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
