<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Input;
use Ramz\Internal\Json;

/**
 * Lets a phone fill in the code by itself. At most one of the two: each must be the last line of the message. With a
 * live key it must be registered on the account and approved (see `autofill` of the account); test keys accept any.
 */
final class Autofill implements \JsonSerializable, Input
{
    /**
     * @param string $androidAppHash Hash of the Android app, for the SMS Retriever: 11 characters of base64.
     * @param string $webOrigin Site the code is for, for WebOTP: `https://shop.example`, or just its host.
     */
    public function __construct(
        public readonly string $androidAppHash = '',
        public readonly string $webOrigin = '',
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
            androidAppHash: Json::text($data, 'android_app_hash'),
            webOrigin: Json::text($data, 'web_origin'),
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
            'android_app_hash' => $this->androidAppHash,
            'web_origin' => $this->webOrigin,
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
            'android_app_hash' => $this->androidAppHash === '' ? null : $this->androidAppHash,
            'web_origin' => $this->webOrigin === '' ? null : $this->webOrigin,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
