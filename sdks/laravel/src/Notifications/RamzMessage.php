<?php

declare(strict_types=1);

namespace Ramz\Laravel\Notifications;

/** What a notification's `toRamz()` answers: how the code is to be sent. Everything has the account's default. */
final class RamzMessage
{
    /** @var array<string, mixed> Named arguments of {@see \Ramz\Resource\VerifyResource::send()}. */
    private array $options = [];

    /** @param string $purpose What the challenge is for, e.g. `login`: two purposes are two challenges to one number. */
    public static function for(string $purpose): self
    {
        return (new self())->with(purpose: $purpose);
    }

    /** In place of the notifiable's own number. */
    public function to(string $number): self
    {
        return $this->with(to: $number);
    }

    /** The first channel, e.g. `sms`: {@see \Ramz\Value\Channel}. */
    public function channel(string $channel): self
    {
        return $this->with(channel: $channel);
    }

    /** `ar`, `fr` or `en`: {@see \Ramz\Value\Language}. */
    public function language(string $language): self
    {
        return $this->with(language: $language);
    }

    /** Your own reference, which webhooks carry. */
    public function reference(string $reference): self
    {
        return $this->with(clientReference: $reference);
    }

    /**
     * Your own data, returned with the session and in its webhooks.
     *
     * @param array<string, string> $metadata
     */
    public function metadata(array $metadata): self
    {
        return $this->with(metadata: $metadata);
    }

    /** Anything else that a send takes, by its name: `->with(codeLength: 8)`. */
    public function with(mixed ...$options): self
    {
        $copy = clone $this;
        $copy->options = [...$this->options, ...$options];
        return $copy;
    }

    /** @return array<string, mixed> */
    public function options(): array
    {
        return $this->options;
    }
}
