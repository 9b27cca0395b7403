<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Resource;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Internal\Caller;
use Ramz\Internal\Operation;
use Ramz\Model\CreateWabaSignupResponse;
use Ramz\Model\Waba;

/**
 * The business's own account at the messaging platform. Once it is linked, the account's live messages on that
 * channel go out from the business's own number. There is none in test mode.
 */
final class WabaResource
{
    /** @internal A client makes it. */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Starts an embedded signup: answers the address of a page where the business links its account. Good once, for
     * ten minutes.
     *
     * @param string|null $language Language of the page. Default: the account's. Words: {@see \Ramz\Value\Language}.
     *
     * @throws ApiError `live_key_required`, `waba_already_connected`, `unimplemented`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function createSignup(?string $language = null): CreateWabaSignupResponse
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/waba/signups',
            body: [
                'language' => $language,
            ],
            isRepeatable: false,
        ), CreateWabaSignupResponse::fromArray(...));
    }

    /**
     * Links an account: with what an embedded signup ended with (`code`, `state`), or by hand (`access_token`). The
     * steps at the platform are taken in the background; `status` tells how they stand.
     *
     * @param string $wabaId The platform's id of the business's account.
     * @param string $phoneNumberId The platform's id of the phone number, which is not the number.
     * @param string|null $code Embedded signup: the code it ended with. It lives 30 seconds.
     * @param string|null $state Embedded signup: the state of this account's CreateWabaSignup, unused and not ten
     *   minutes old.
     * @param string|null $accessToken By hand: a system user's token for that account, one that does not expire.
     * @param string|null $pin The number's two-step verification PIN. Needed where the number has one already and is
     *   not registered with the Cloud API; else one is made.
     *
     * @throws ApiError `live_key_required`, `invalid_signup_state`, `waba_already_connected`, `phone_number_taken`,
     *   `unimplemented`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function connect(
        string $wabaId,
        string $phoneNumberId,
        ?string $code = null,
        ?string $state = null,
        ?string $accessToken = null,
        ?string $pin = null,
    ): Waba {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/waba',
            body: [
                'waba_id' => $wabaId,
                'phone_number_id' => $phoneNumberId,
                'code' => $code,
                'state' => $state,
                'access_token' => $accessToken,
                'pin' => $pin,
            ],
            isRepeatable: false,
        ), Waba::fromArray(...));
    }

    /**
     * Gets the linked account, the one being linked, or the one that was linked last.
     *
     * @throws ApiError `waba_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function get(): Waba
    {
        return $this->caller->call(new Operation(
            'GET',
            '/v1/waba',
        ), Waba::fromArray(...));
    }

    /**
     * Unlinks the account: from now on messages go out from the platform's number. Its secrets are forgotten.
     *
     * @throws ApiError `live_key_required`, `waba_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function disconnect(): Waba
    {
        return $this->caller->call(new Operation(
            'DELETE',
            '/v1/waba',
        ), Waba::fromArray(...));
    }
}
