<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/**
 * Sites and Android apps of the account. A live send may name only these in its `autofill`: the text goes out under a
 * trusted sender name, and phones turn an address in it into a link.
 */
final class AccountAutofill implements \JsonSerializable
{
    /**
     * @param list<string> $webOrigins Web origins, in the form in which they are compared: `https://` and the host in
     *   lower case, international names in punycode.
     * @param list<AndroidApp> $androidApps Android apps.
     * @param list<AutofillState> $states Status of each of them, in the same order: the origins first, then the apps.
     */
    public function __construct(
        public readonly array $webOrigins = [],
        public readonly array $androidApps = [],
        public readonly array $states = [],
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
            states: Json::many($data, 'states', AutofillState::fromArray(...)),
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
            'states' => array_map(static fn (AutofillState $one): array => $one->toArray(), $this->states),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
