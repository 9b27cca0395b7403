<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Input;
use Ramz\Internal\Json;

/** Sites and Android apps to register. They replace the registered ones. */
final class RegisterAutofill implements \JsonSerializable, Input
{
    /**
     * @param list<string> $webOrigins Web origins: `https://shop.example`, or just the host.
     * @param list<AndroidApp> $androidApps Android apps. An app that is signed with several certificates is listed
     *   once per hash.
     */
    public function __construct(
        public readonly array $webOrigins = [],
        public readonly array $androidApps = [],
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
            webOrigins: Json::all($data, 'web_origins', Json::textOrNull(...)),
            androidApps: Json::many($data, 'android_apps', AndroidApp::fromArray(...)),
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
            'web_origins' => $this->webOrigins,
            'android_apps' => array_map(static fn (AndroidApp $one): array => $one->toArray(), $this->androidApps),
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
            'web_origins' => $this->webOrigins === [] ? null : $this->webOrigins,
            'android_apps' => array_map(static fn (AndroidApp $one): array => $one->toRequest(), $this->androidApps) ?: null,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
