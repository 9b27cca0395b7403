<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** The account and its first keys. */
final class CreateAccountResponse implements \JsonSerializable
{
    /**
     * @param Account|null $account The account.
     * @param ApiKey|null $liveKey Its live key, with every scope; `key` is shown this once.
     * @param ApiKey|null $testKey Its test key, with every scope; `key` is shown this once.
     */
    public function __construct(
        public readonly ?Account $account = null,
        public readonly ?ApiKey $liveKey = null,
        public readonly ?ApiKey $testKey = null,
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
            account: Json::one($data, 'account', Account::fromArray(...)),
            liveKey: Json::one($data, 'live_key', ApiKey::fromArray(...)),
            testKey: Json::one($data, 'test_key', ApiKey::fromArray(...)),
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
            'account' => $this->account?->toArray(),
            'live_key' => $this->liveKey?->toArray(),
            'test_key' => $this->testKey?->toArray(),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
