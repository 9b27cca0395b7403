<?php

declare(strict_types=1);

namespace App\Providers;

use Illuminate\Support\Facades\Event;
use Illuminate\Support\ServiceProvider;
use Ramz\Laravel\Events\ReceiptUpdated;
use Ramz\Laravel\Events\SessionVerified;

final class AppServiceProvider extends ServiceProvider
{
    /** The package has checked the signature, and dispatches each event once. Listeners may be queued. */
    public function boot(): void
    {
        Event::listen(ReceiptUpdated::class, static function (ReceiptUpdated $event): void {
            logger()->info("{$event->webhook->type} {$event->data->sessionId} {$event->data->status}");
        });
        Event::listen(SessionVerified::class, static function (SessionVerified $event): void {
            logger()->info("{$event->webhook->type} {$event->data->sessionId} {$event->data->session->status}");
        });
    }
}
