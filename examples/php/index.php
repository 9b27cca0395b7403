<?php

// Login with a code, and the webhook that tells what became of it.

declare(strict_types=1);

use Ramz\Error\ApiError;
use Ramz\Error\ConfigurationError;
use Ramz\Error\RamzError;
use Ramz\Error\SignatureError;
use Ramz\Model\Receipt;
use Ramz\Model\SessionEvent;
use Ramz\Value\ErrorCode;
use Ramz\Webhooks;

require __DIR__ . '/vendor/autoload.php';

$body = (string) file_get_contents('php://input');
$input = json_decode($body, true) ?: [];

try {
    match ($_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
        'POST /login/start' => start((string) ($input['phone'] ?? '')),
        'POST /login/check' => check((string) ($input['phone'] ?? ''), (string) ($input['code'] ?? '')),
        'GET /me' => me(),
        'POST /webhooks/ramz' => webhook($body),
        default => answer(404, ['error' => 'no such page']),
    };
} catch (RamzError $error) {
    refuse($error);
}

/** Passes on what the visitor can do something about. */
function refuse(RamzError $error): void
{
    $theirs = [
        ErrorCode::SESSION_NOT_FOUND, ErrorCode::RESEND_TOO_SOON, ErrorCode::TOO_MANY_SENDS, ErrorCode::NUMBER_LOCKED,
        ErrorCode::NUMBER_RATE_LIMITED,
    ];
    if (
        $error instanceof ApiError
        && (in_array($error->field, ['to', 'code'], true) || in_array($error->errorCode, $theirs, true))
    ) {
        if ($error->retryAfter !== null) {
            header("retry-after: {$error->retryAfter}");
        }
        answer($error->status, ['error' => $error->getMessage()]);
        return;
    }
    // A key that is refused, a limit of the account, no answer: for whoever runs this, and none of the visitor's business.
    $about = $error instanceof ApiError ? " ({$error->errorCode}, {$error->requestId})" : '';
    error_log('Ramz: ' . $error->getMessage() . $about);
    answer(503, ['error' => 'try again later']);
}

function ramz(): Ramz\Client
{
    return new Ramz\Client(); // RAMZ_BASE_URL, RAMZ_API_KEY
}

function start(string $phone): void
{
    $session = ramz()->verify->send(to: $phone, purpose: 'login');
    answer(202, ['channel' => $session->channel]);
}

function check(string $phone, string $code): void
{
    $answer = ramz()->verify->check(to: $phone, purpose: 'login', code: $code);
    if (!$answer->valid) {
        answer(401, ['reason' => $answer->reason, 'attempts_remaining' => $answer->attemptsRemaining]);
        return;
    }
    $verified = ramz()->verify->get($answer->id)->to; // in one form, however it was typed
    // Without the scope `numbers` the number is masked, and strangers whose masked numbers are the same would share a login.
    if (preg_match('/^\+\d+$/D', $verified) !== 1) {
        throw new ConfigurationError('the API key needs the scope numbers');
    }
    session(['cookie_httponly' => true, 'cookie_samesite' => 'Lax']); // cookie_secure, too, behind https
    session_regenerate_id(true);
    $_SESSION['phone'] = $verified;
    answer(204);
}

function me(): void
{
    session(['read_and_close' => true]);
    isset($_SESSION['phone'])
        ? answer(200, ['phone' => $_SESSION['phone']])
        : answer(401, ['error' => 'not logged in']);
}

function webhook(string $body): void
{
    try {
        $event = Webhooks::verify($body, $_SERVER, (string) getenv('RAMZ_WEBHOOK_SECRET'));
    } catch (SignatureError $error) {
        answer(400, ['error' => $error->reason]);
        return;
    }
    // Events come at least once. An empty file per event stands for a table with a unique column.
    $handled = sys_get_temp_dir() . '/ramz-' . hash('sha256', $event->id);
    $status = match (true) {
        $event->data instanceof Receipt => $event->data->status,
        $event->data instanceof SessionEvent => $event->data->session->status,
        default => null,
    };
    if (!is_file($handled)) {
        if ($status !== null) {
            file_put_contents('php://stdout', "{$event->type} {$event->data->sessionId} {$status}\n");
        }
        touch($handled); // After the work: what is left half done comes again.
    }
    answer(204);
}

/** @param array<string, mixed> $options */
function session(array $options): void
{
    session_start($options + ['use_strict_mode' => true, 'name' => 'session']);
}

/** @param array<string, mixed> $data */
function answer(int $status, ?array $data = null): void
{
    http_response_code($status);
    header('content-type: application/json');
    echo $data === null ? '' : json_encode($data, JSON_THROW_ON_ERROR);
}
