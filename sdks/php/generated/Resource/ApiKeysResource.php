<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Resource;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Internal\Arguments;
use Ramz\Internal\Caller;
use Ramz\Internal\Operation;
use Ramz\Listing;
use Ramz\Model\ApiKey;

/** API keys of the account. */
final class ApiKeysResource
{
    /** @internal A client makes it. */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Creates a key. Only this response shows its text. A key cannot grant scopes that it lacks, nor a longer life
     * than its own.
     *
     * @param string $name Name that tells it apart from others.
     * @param string|null $mode Live or test. Default: that of the key that is used for the call. Words:
     *   {@see \Ramz\Value\Mode}.
     * @param list<string>|null $scopes What it may do. Default: all that the key used for the call may. Words:
     *   {@see \Ramz\Value\Scope}.
     * @param \DateTimeInterface|null $expiresAt When the key stops working: no later than the key that makes the
     *   call. Default: with that key, or never if that never expires.
     *
     * @throws ApiError `expires_too_late`, `live_key_required`, `too_many_resources`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function create(
        string $name,
        ?string $mode = null,
        ?array $scopes = null,
        ?\DateTimeInterface $expiresAt = null,
    ): ApiKey {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/api_keys',
            body: [
                'name' => $name,
                'mode' => $mode,
                'scopes' => $scopes,
                'expires_at' => Arguments::time($expiresAt),
            ],
            isRepeatable: false,
            ids: ['id' => null],
        ), ApiKey::fromArray(...));
    }

    /**
     * Lists keys, newest first: a live key sees those of both modes, a test key those of test mode.
     *
     * @param int|null $pageSize Keys on one page, 1 to 100. Default 20.
     * @param string|null $pageToken `next_page_token` of the page before, with the same filters.
     * @param bool|null $includeRevoked Revoked keys too.
     *
     * @return Listing<ApiKey>
     *
     * @throws ApiError `invalid_page_token`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function list(
        ?int $pageSize = null,
        ?string $pageToken = null,
        ?bool $includeRevoked = null,
    ): Listing {
        return new Listing(
            $this->caller,
            '/v1/api_keys',
            [
                'page_size' => $pageSize,
                'page_token' => $pageToken,
                'include_revoked' => $includeRevoked,
            ],
            'api_keys',
            ApiKey::fromArray(...),
        );
    }

    /**
     * Revokes a key everywhere within a second. Revoking twice is the same as once.
     *
     * @param string $id Identifies the key.
     *
     * @throws ApiError `api_key_not_found`, `last_manage_key`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function revoke(string $id): ApiKey
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/api_keys/' . Arguments::segment('id', $id) . '/revoke',
            ids: ['id' => $id],
        ), ApiKey::fromArray(...));
    }
}
