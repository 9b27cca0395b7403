<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** The session as it is now. */
final class WatchSessionResponse implements \JsonSerializable
{
    /**
     * @param Session|null $session The session, with messages and timeline.
     * @param list<TimelineEntry> $newEntries What is new in the timeline since the answer before; in the first answer
     *   all of it.
     */
    public function __construct(
        public readonly ?Session $session = null,
        public readonly array $newEntries = [],
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
            session: Json::one($data, 'session', Session::fromArray(...)),
            newEntries: Json::many($data, 'new_entries', TimelineEntry::fromArray(...)),
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
            'session' => $this->session?->toArray(),
            'new_entries' => array_map(static fn (TimelineEntry $one): array => $one->toArray(), $this->newEntries),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
