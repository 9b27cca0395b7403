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
use Ramz\Model\TestWebhookEndpointResponse;
use Ramz\Model\WebhookDelivery;
use Ramz\Model\WebhookEndpoint;

/** Webhook endpoints of the account; those of live and of test mode are apart. */
final class WebhookEndpointsResource
{
    /** @internal A client makes it. */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Creates an endpoint; the secret its callbacks are signed with is shown this once.
     *
     * @param string $url Address that callbacks are posted to. Private, loopback and link-local ones are refused.
     * @param string|null $description The client's own words about it.
     * @param list<string>|null $eventTypes Types of event it gets. Default: every type, and those to come. Words:
     *   {@see \Ramz\Value\EventType}.
     *
     * @throws ApiError `invalid_webhook_url`, `too_many_resources`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function create(
        string $url,
        ?string $description = null,
        ?array $eventTypes = null,
    ): WebhookEndpoint {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/webhook_endpoints',
            body: [
                'url' => $url,
                'description' => $description,
                'event_types' => $eventTypes,
            ],
            isRepeatable: false,
            ids: ['id' => null],
        ), WebhookEndpoint::fromArray(...));
    }

    /**
     * Gets an endpoint.
     *
     * @param string $id Identifies the endpoint.
     *
     * @throws ApiError `webhook_endpoint_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function get(string $id): WebhookEndpoint
    {
        return $this->caller->call(new Operation(
            'GET',
            '/v1/webhook_endpoints/' . Arguments::segment('id', $id),
            ids: ['id' => $id],
        ), WebhookEndpoint::fromArray(...));
    }

    /**
     * Lists endpoints, newest first.
     *
     * @param int|null $pageSize Endpoints on one page, 1 to 100. Default 20.
     * @param string|null $pageToken `next_page_token` of the page before.
     *
     * @return Listing<WebhookEndpoint>
     *
     * @throws ApiError `invalid_page_token`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function list(?int $pageSize = null, ?string $pageToken = null): Listing
    {
        return new Listing(
            $this->caller,
            '/v1/webhook_endpoints',
            [
                'page_size' => $pageSize,
                'page_token' => $pageToken,
            ],
            'webhook_endpoints',
            WebhookEndpoint::fromArray(...),
        );
    }

    /**
     * Changes an endpoint; what is not given stays.
     *
     * @param string $id Identifies the endpoint.
     * @param string|null $url Address that callbacks are posted to.
     * @param string|null $description The client's own words about it.
     * @param list<string>|null $eventTypes Types of event it gets. An empty list changes nothing: see
     *   `all_event_types`. Words: {@see \Ramz\Value\EventType}.
     * @param bool|null $allEventTypes Sends every type of event to it, and those to come.
     * @param bool|null $enabled Switches it on or off. Switching on forgets past failures.
     *
     * @throws ApiError `invalid_webhook_url`, `too_many_resources`, `webhook_endpoint_not_found`, or what any call
     *   may answer.
     * @throws NetworkError There was no answer.
     */
    public function update(
        string $id,
        ?string $url = null,
        ?string $description = null,
        ?array $eventTypes = null,
        ?bool $allEventTypes = null,
        ?bool $enabled = null,
    ): WebhookEndpoint {
        return $this->caller->call(new Operation(
            'PATCH',
            '/v1/webhook_endpoints/' . Arguments::segment('id', $id),
            body: [
                'url' => $url,
                'description' => $description,
                'event_types' => $eventTypes,
                'all_event_types' => $allEventTypes,
                'enabled' => $enabled,
            ],
            ids: ['id' => $id],
        ), WebhookEndpoint::fromArray(...));
    }

    /**
     * Deletes an endpoint, with what was still to be delivered to it.
     *
     * @param string $id Identifies the endpoint.
     *
     * @throws ApiError `webhook_endpoint_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function delete(string $id): void
    {
        $this->caller->call(new Operation(
            'DELETE',
            '/v1/webhook_endpoints/' . Arguments::segment('id', $id),
        ));
    }

    /**
     * Makes a new secret, shown this once. Callbacks are signed with both for 24 hours.
     *
     * @param string $id Identifies the endpoint.
     * @param int|null $keepPreviousSeconds How long callbacks are signed with the old secret too, in seconds. Default
     *   86400; 0 = not any more.
     *
     * @throws ApiError `webhook_endpoint_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function rotateSecret(string $id, ?int $keepPreviousSeconds = null): WebhookEndpoint
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/webhook_endpoints/' . Arguments::segment('id', $id) . '/rotate_secret',
            body: [
                'keep_previous_seconds' => $keepPreviousSeconds,
            ],
            isRepeatable: false,
            ids: ['id' => $id],
        ), WebhookEndpoint::fromArray(...));
    }

    /**
     * Lists what was or will be delivered to an endpoint, newest first.
     *
     * @param string $id Identifies the endpoint.
     * @param int|null $pageSize Deliveries on one page, 1 to 100. Default 20.
     * @param string|null $pageToken `next_page_token` of the page before, with the same filters.
     * @param string|null $status Only deliveries that stand so. Words: {@see \Ramz\Value\WebhookDeliveryStatus}.
     *
     * @return Listing<WebhookDelivery>
     *
     * @throws ApiError `invalid_page_token`, `webhook_endpoint_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function listDeliveries(
        string $id,
        ?int $pageSize = null,
        ?string $pageToken = null,
        ?string $status = null,
    ): Listing {
        return new Listing(
            $this->caller,
            '/v1/webhook_endpoints/' . Arguments::segment('id', $id) . '/deliveries',
            [
                'page_size' => $pageSize,
                'page_token' => $pageToken,
                'status' => $status,
            ],
            'deliveries',
            WebhookDelivery::fromArray(...),
        );
    }

    /**
     * Delivers an event once more, with the same id and body.
     *
     * @param string $id Identifies the endpoint.
     * @param string $eventId Identifies the event.
     *
     * @throws ApiError `endpoint_disabled`, `webhook_delivery_not_found`, `webhook_endpoint_not_found`, or what any
     *   call may answer.
     * @throws NetworkError There was no answer.
     */
    public function redeliver(string $id, string $eventId): WebhookDelivery
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/webhook_endpoints/'
                . Arguments::segment('id', $id)
                . '/deliveries/'
                . Arguments::segment('event_id', $eventId)
                . '/redeliver',
            isRepeatable: false,
            ids: ['event_id' => $eventId],
        ), WebhookDelivery::fromArray(...));
    }

    /**
     * Sends an example event to the endpoint now, once, and tells what came back.
     *
     * @param string $id Identifies the endpoint.
     * @param string|null $eventType Type of the example event. Default `receipt.updated`. Words:
     *   {@see \Ramz\Value\EventType}.
     *
     * @throws ApiError `invalid_webhook_url`, `webhook_endpoint_not_found`, or what any call may answer.
     * @throws NetworkError There was no answer.
     */
    public function test(string $id, ?string $eventType = null): TestWebhookEndpointResponse
    {
        return $this->caller->call(new Operation(
            'POST',
            '/v1/webhook_endpoints/' . Arguments::segment('id', $id) . '/test',
            body: [
                'event_type' => $eventType,
            ],
            isRepeatable: false,
        ), TestWebhookEndpointResponse::fromArray(...));
    }
}
