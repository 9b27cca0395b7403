<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests\Fixtures;

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Notifications\Notification;
use Ramz\Laravel\Notifications\RamzMessage;

final class LoginCode extends Notification implements ShouldQueue
{
    use Queueable;

    public function __construct(private readonly ?RamzMessage $message = null)
    {
    }

    /** @return list<string> */
    public function via(mixed $notifiable): array
    {
        return ['ramz'];
    }

    public function toRamz(mixed $notifiable): RamzMessage
    {
        return $this->message ?? RamzMessage::for('login');
    }
}
