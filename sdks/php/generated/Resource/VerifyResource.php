<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Resource;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Internal\Arguments;
use Ramz\Internal\Caller;
use Ramz\Internal\IdempotencyKey;
use Ramz\Internal\Operation;
use Ramz\Internal\SessionWatch;
use Ramz\Listing;
use Ramz\Model\Autofill;
use Ramz\Model\CascadeLeg;
use Ramz\Model\CheckResponse;
use Ramz\Model\SendResponse;
use Ramz\Model\Session;
use Ramz\Model\WatchSessionResponse;

/** Verifies that somebody controls a phone number. */
final class VerifyResource
{
    /** @internal A client makes it. */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Sends a code: one call opens a session and starts its cascade. While a session for the same number and purpose
     * is pending, a further call is a resend: same session, same code, a new run of the cascade.
     *
     * @param string $to Phone number in international format: plus sign, country code, subscriber number.
     * @param string|null $channel Channel of the first leg. Default `sms`. Words: {@see \Ramz\Value\Channel}.
     * @param string|null $senderId Sender name shown to the recipient, approved at the number's operator. Default:
     *   the account's, then the platform's.
     * @param string|null $language Language of the message. Default: the account's. Words:
     *   {@see \Ramz\Value\Language}.
     * @param int|null $codeLength Digits of the code, 6 to 10. Default 6; 4 and 5 only where the deployment allows
     *   them.
     * @param int|null $ttlSeconds Life of the session, 60 to 600 seconds. Default 600; longer only where the
     *   deployment allows it.
     * @param list<CascadeLeg|array<string, mixed>>|null $cascade Legs to try, in order; each channel once. Default:
     *   the account's, from `channel` on. One leg = no cascade.
     * @param string|null $purpose What the challenge is for: two purposes are two challenges to one number.
     * @param string|null $clientReference The client's own reference, echoed in webhooks.
     * @param Autofill|array<string, mixed>|null $autofill What lets the phone fill the code in by itself.
     * @param string|null $idempotencyKey Makes the call safe to repeat for 24 hours. Default: one of its own for each
     *   call.
     *
     * @throws ApiError `invalid_phone_number`, `unsupported_destination`, `scenario_number`,
     *   `sender_id_not_approved`, `autofill_not_registered`, `no_route`, `session_differs`, `resend_too_soon`,
     *   `too_many_sends`, `number_rate_limited`, `overloaded`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function send(
        string $to,
        ?string $channel = null,
        ?string $senderId = null,
        ?string $language = null,
        ?int $codeLength = null,
        ?int $ttlSeconds = null,
        ?array $cascade = null,
        ?string $purpose = null,
        ?string $clientReference = null,
        Autofill|array|null $autofill = null,
        ?string $idempotencyKey = null,
    ): SendResponse {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/verify/send',
            body: [
                'to' => $to,
                'channel' => $channel,
                'sender_id' => $senderId,
                'language' => $language,
                'code_length' => $codeLength,
                'ttl_seconds' => $ttlSeconds,
                'cascade' => Arguments::many($cascade),
                'purpose' => $purpose,
                'client_reference' => $clientReference,
                'autofill' => Arguments::one($autofill),
            ],
            idempotencyKey: $idempotencyKey ?? IdempotencyKey::make(),
            ids: ['id' => null],
        ), SendResponse::fromArray(...));
    }

    /**
     * Checks a code. Wrong, late and repeated codes are answers with `valid: false` and a reason, not errors.
     *
     * @param string $code What the user typed. Spaces and dashes do not matter; Arabic-Indic and Persian digits are
     *   understood.
     * @param string|null $id Session the code is for.
     * @param string|null $to Number the code was sent to, in place of the session's id.
     * @param string|null $purpose Purpose of the session, with `to`.
     * @param string|null $idempotencyKey Makes the call safe to repeat for 24 hours. Default: one of its own for each
     *   call.
     *
     * @throws ApiError `invalid_code`, `invalid_phone_number`, `session_not_found`, `number_locked`, or what any call
     *   may answer.
     * @throws NetworkError There was no answer.
     */
    public function check(
        string $code,
        ?string $id = null,
        ?string $to = null,
        ?string $purpose = null,
        ?string $idempotencyKey = null,
    ): CheckResponse {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/verify/check',
            body: [
                'id' => $id,
                'to' => $to,
                'purpose' => $purpose,
                'code' => $code,
            ],
            idempotencyKey: $idempotencyKey ?? IdempotencyKey::make(),
            ids: ['id' => $id],
        ), CheckResponse::fromArray(...));
    }

    /**
     * Gets a session with its whole timeline: every message, receipt, cost, and why the cascade moved or stopped.
     *
     * @param string $id Identifies the session.
     *
     * @throws ApiError `session_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function get(string $id): Session
    {
        return $this->caller->call(new Operation(
            'GET',
            '/v1/verify/sessions/' . Arguments::segment('id', $id),
            ids: ['id' => $id],
        ), Session::fromArray(...));
    }

    /**
     * Lists sessions, newest first, without their messages and timelines.
     *
     * @param int|null $pageSize Sessions on one page, 1 to 100. Default 20.
     * @param string|null $pageToken `next_page_token` of the page before, with the same filters.
     * @param string|null $to Only sessions with this number.
     * @param string|null $status Only sessions with this status. Words: {@see \Ramz\Value\SessionStatus}.
     * @param string|null $clientReference Only sessions with this reference.
     * @param \DateTimeInterface|null $createdAfter Only sessions opened at or after this time.
     * @param \DateTimeInterface|null $createdBefore Only sessions opened before this time.
     *
     * @return Listing<Session>
     *
     * @throws ApiError `invalid_page_token`, `invalid_phone_number`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function list(
        ?int $pageSize = null,
        ?string $pageToken = null,
        ?string $to = null,
        ?string $status = null,
        ?string $clientReference = null,
        ?\DateTimeInterface $createdAfter = null,
        ?\DateTimeInterface $createdBefore = null,
    ): Listing {
        return new Listing(
            $this->caller,
            '/v1/verify/sessions',
            [
                'page_size' => $pageSize,
                'page_token' => $pageToken,
                'to' => $to,
                'status' => $status,
                'client_reference' => $clientReference,
                'created_after' => Arguments::time($createdAfter),
                'created_before' => Arguments::time($createdBefore),
            ],
            'sessions',
            Session::fromArray(...),
        );
    }

    /**
     * Cancels a pending session: nothing more is sent, its code is void. Canceling twice is the same as once.
     *
     * @param string $id Identifies the session.
     *
     * @throws ApiError `session_not_found`, `session_not_pending`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function cancel(string $id): Session
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/verify/sessions/' . Arguments::segment('id', $id) . '/cancel',
            ids: ['id' => $id],
        ), Session::fromArray(...));
    }

    /**
     * Follows a session live: first as it is, then after every change, until it is over. gRPC, gRPC-web and Connect.
     *
     * @param string $id Identifies the session.
     *
     * @return \Generator<int, WatchSessionResponse>
     *
     * @throws ApiError `session_not_found`, `too_many_watches`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function watch(string $id): \Generator
    {
        return SessionWatch::follow(
            $this->caller,
            '/ramz.v1.VerifyService/WatchSession',
            $id,
            fn (): Session => $this->get($id),
        );
    }
}
