<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests\Fixtures;

use Illuminate\Notifications\Notifiable;

final class User
{
    use Notifiable;

    public function __construct(public readonly ?string $phone)
    {
    }

    public function getKey(): string
    {
        return 'user';
    }

    public function routeNotificationForRamz(): ?string
    {
        return $this->phone;
    }
}
