<?php

declare(strict_types=1);

namespace Ramz\Laravel\Notifications;

use Illuminate\Notifications\Notification;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Model\SendResponse;

/**
 * Notification channel `ramz`: sends a code to the notifiable's number, which is what `routeNotificationForRamz()` answers. The
 * answer is in the event `NotificationSent`.
 */
final class RamzChannel
{
    /**
     * @throws \InvalidArgumentException The notification says nothing, or there is no number.
     * @throws \Ramz\Error\RamzError The service refused, or did not answer.
     */
    public function send(mixed $notifiable, Notification $notification): SendResponse
    {
        if (!\method_exists($notification, 'toRamz')) {
            throw new \InvalidArgumentException(\get_class($notification) . ' has no toRamz()');
        }
        $message = $notification->toRamz($notifiable);
        $options = $message instanceof RamzMessage ? $message->options() : (array) $message;
        $options['to'] ??= $notifiable->routeNotificationFor('ramz', $notification);
        if (!\is_string($options['to']) || $options['to'] === '') {
            throw new \InvalidArgumentException(
                'no number: the notifiable needs routeNotificationForRamz(), or the message to()',
            );
        }
        // A queued notification that is tried again has the same id, so that the phone gets one code, not two.
        if (\is_string($notification->id ?? null) && $notification->id !== '') {
            $options['idempotencyKey'] ??= "laravel-notification-{$notification->id}";
        }
        return Ramz::verify()->send(...$options);
    }
}
