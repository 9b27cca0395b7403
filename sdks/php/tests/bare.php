<?php

// What needs neither a network nor an extension, run by `php -n`: all of the package but its default transport.

declare(strict_types=1);

require __DIR__ . '/bootstrap.php';

$fake = new Ramz\Testing\FakeClient();
$id = $fake->verify->send(to: '+213550000001', clientReference: 'طلب 🙂')->id;
$isValid = $fake->verify->check(id: $id, code: '٠٠٠٠٠٠')->valid;
$secret = 'whsec_' . base64_encode(random_bytes(24));
$webhook = Ramz\Testing\SignedWebhook::make('session.verified', ['session_id' => $id], $secret);
$event = Ramz\Webhooks::verify($webhook->body, $webhook->headers, $secret);
try {
    new Ramz\Client('key', 'https://verify.example');
    $told = 'nothing';
} catch (Ramz\Error\ConfigurationError $error) {
    $told = $error->getMessage();
}
$isGood = $isValid && $event->data->sessionId === $id && str_contains($told, 'the curl extension is missing');
exit($isGood && !extension_loaded('curl') ? 0 : 1);
