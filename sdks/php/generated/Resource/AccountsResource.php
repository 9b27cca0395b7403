<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Resource;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Internal\Arguments;
use Ramz\Internal\Caller;
use Ramz\Internal\Operation;
use Ramz\Model\Account;
use Ramz\Model\CascadeLeg;
use Ramz\Model\CreateAccountResponse;
use Ramz\Model\GetMeasuresResponse;
use Ramz\Model\RegisterAutofill;

/** Accounts and their settings. A test key sees and changes the settings of test mode. */
final class AccountsResource
{
    /** @internal A client makes it. */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Creates an account and issues its live and its test key; the keys are shown this once.
     *
     * Where registration is closed it needs the admin token of the deployment in place of the client's API key.
     *
     * @param string $name Name of the business.
     * @param string|null $language Language where a send gives none. Default `ar`. Words:
     *   {@see \Ramz\Value\Language}.
     *
     * @throws ApiError `registration_closed`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function create(string $name, ?string $language = null): CreateAccountResponse
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/accounts',
            body: [
                'name' => $name,
                'language' => $language,
            ],
            isRepeatable: false,
        ), CreateAccountResponse::fromArray(...));
    }

    /**
     * Gets the account of the key.
     *
     * @throws ApiError What any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function get(): Account
    {
        return $this->caller->call(new Operation(
            'GET',
            '/v1/account',
            ids: ['id' => null],
        ), Account::fromArray(...));
    }

    /**
     * Changes settings of the account; what is not given stays.
     *
     * @param string|null $name Name of the business.
     * @param string|null $language Language where a send gives none. Words: {@see \Ramz\Value\Language}.
     * @param string|null $defaultSenderId Sender name where a send gives none; empty = the platform's.
     * @param list<CascadeLeg|array<string, mixed>>|null $cascade Legs where a send gives none, in order; each channel
     *   once. An empty list changes nothing: see `reset_cascade`.
     * @param bool|null $resetCascade Goes back to the deployment's legs.
     * @param bool|null $inCountryOnly Channels whose messages leave the country are not used. Holds for both modes,
     *   so only a live key can change it.
     * @param RegisterAutofill|array<string, mixed>|null $autofill Sites and apps that sends may name in `autofill`.
     *   Both lists are replaced as a whole; values that stay keep their approval. A new value in live mode is
     *   `pending` until the operator of the service approves it.
     *
     * @throws ApiError `live_key_required`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function update(
        ?string $name = null,
        ?string $language = null,
        ?string $defaultSenderId = null,
        ?array $cascade = null,
        ?bool $resetCascade = null,
        ?bool $inCountryOnly = null,
        RegisterAutofill|array|null $autofill = null,
    ): Account {
        return $this->caller->call(new Operation(
            'PATCH',
            '/v1/account',
            body: [
                'name' => $name,
                'language' => $language,
                'default_sender_id' => $defaultSenderId,
                'cascade' => Arguments::many($cascade),
                'reset_cascade' => $resetCascade,
                'in_country_only' => $inCountryOnly,
                'autofill' => Arguments::one($autofill),
            ],
            ids: ['id' => null],
        ), Account::fromArray(...));
    }

    /**
     * Gets the two time-to-market measures, and what they are made from.
     *
     * @throws ApiError What any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function getMeasures(): GetMeasuresResponse
    {
        return $this->caller->call(new Operation(
            'GET',
            '/v1/account/measures',
        ), GetMeasuresResponse::fromArray(...));
    }
}
