<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Input;
use Ramz\Internal\Json;

/** An Android app that reads codes with the SMS Retriever. */
final class AndroidApp implements \JsonSerializable, Input
{
    /**
     * @param string $packageName Application id of the app.
     * @param string $appHash SMS Retriever hash of the app: 11 characters of base64. It depends on the certificate
     *   that signs the app.
     */
    public function __construct(
        public readonly string $packageName = '',
        public readonly string $appHash = '',
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
            packageName: Json::text($data, 'package_name'),
            appHash: Json::text($data, 'app_hash'),
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
            'package_name' => $this->packageName,
            'app_hash' => $this->appHash,
        ]);
    }

    /**
     * As a request: what is empty is left out.
     *
     * @return array<string, mixed>
     */
    public function toRequest(): array
    {
        return Json::given([
            'package_name' => $this->packageName === '' ? null : $this->packageName,
            'app_hash' => $this->appHash === '' ? null : $this->appHash,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
