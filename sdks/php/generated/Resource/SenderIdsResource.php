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
use Ramz\Model\SenderId;

/** Custom sender names of the account. */
final class SenderIdsResource
{
    /** @internal A client makes it. */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Asks every operator for a sender name. Decisions are due within 72 hours.
     *
     * @param string $name 1 to 11 characters of the GSM alphabet.
     *
     * @throws ApiError `live_key_required`, `sender_id_exists`, `too_many_resources`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function create(string $name): SenderId
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/sender_ids',
            body: [
                'name' => $name,
            ],
            isRepeatable: false,
            ids: ['id' => null],
        ), SenderId::fromArray(...));
    }

    /**
     * Gets a sender name and what each operator decided.
     *
     * @param string $id Identifies the sender name.
     *
     * @throws ApiError `sender_id_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function get(string $id): SenderId
    {
        return $this->caller->call(new Operation(
            'GET',
            '/v1/sender_ids/' . Arguments::segment('id', $id),
            ids: ['id' => $id],
        ), SenderId::fromArray(...));
    }

    /**
     * Lists sender names, newest first.
     *
     * @param int|null $pageSize Names on one page, 1 to 100. Default 20.
     * @param string|null $pageToken `next_page_token` of the page before.
     *
     * @return Listing<SenderId>
     *
     * @throws ApiError `invalid_page_token`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function list(?int $pageSize = null, ?string $pageToken = null): Listing
    {
        return new Listing(
            $this->caller,
            '/v1/sender_ids',
            [
                'page_size' => $pageSize,
                'page_token' => $pageToken,
            ],
            'sender_ids',
            SenderId::fromArray(...),
        );
    }

    /**
     * Records what an operator decided about a sender name. For the operator of the deployment.
     *
     * Needs the admin token of the deployment in place of the client's API key.
     *
     * @param string $id Identifies the sender name.
     * @param string $operator The operator's id.
     * @param string $status What it decided. Words: {@see \Ramz\Value\SenderDecision}.
     * @param string|null $reason What the operator gave as its reason.
     *
     * @throws ApiError `sender_id_not_found`, `operator_not_found`, `already_decided`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function decide(
        string $id,
        string $operator,
        string $status,
        ?string $reason = null,
    ): SenderId {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/sender_ids/' . Arguments::segment('id', $id) . '/decisions',
            body: [
                'operator' => $operator,
                'status' => $status,
                'reason' => $reason,
            ],
            isRepeatable: false,
            ids: ['id' => $id],
        ), SenderId::fromArray(...));
    }
}
