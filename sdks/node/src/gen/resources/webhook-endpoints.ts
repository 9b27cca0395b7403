// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import { List } from '../../list.ts';
import type { CallOptions, Caller } from '../../operation.ts';
import { operations } from '../operations.ts';
import type {
  CreateWebhookEndpointRequest,
  ListWebhookDeliveriesRequest,
  ListWebhookEndpointsRequest,
  RotateWebhookSecretRequest,
  TestWebhookEndpointRequest,
  TestWebhookEndpointResponse,
  UpdateWebhookEndpointRequest,
  WebhookDelivery,
  WebhookEndpoint,
} from '../types.ts';

/** Webhook endpoints of the account; those of live and of test mode are apart. */
export class WebhookEndpointsResource {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates an endpoint; the secret its callbacks are signed with is shown this once.
   *
   * `POST /v1/webhook_endpoints`
   *
   * Errors of its own:
   * - `invalid_webhook_url`: The address of a webhook endpoint is not allowed, e.g. a private one.
   * - `too_many_resources`: The account has as many of these as it may have.
   */
  create(request: CreateWebhookEndpointRequest, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#caller.unary<WebhookEndpoint>(operations['webhook_endpoints.create'], [], request, options);
  }

  /**
   * Gets an endpoint.
   *
   * `GET /v1/webhook_endpoints/{id}`
   *
   * Errors of its own:
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#caller.unary<WebhookEndpoint>(operations['webhook_endpoints.get'], [id], {}, options);
  }

  /**
   * Lists endpoints, newest first.
   *
   * Iterate over the answer for the items of all pages; `page()` gets one page.
   *
   * `GET /v1/webhook_endpoints`
   *
   * Errors of its own:
   * - `invalid_page_token`: The page token is not one of this list with these filters.
   */
  list(request: ListWebhookEndpointsRequest = {}, options?: CallOptions): List<WebhookEndpoint> {
    return new List<WebhookEndpoint>(this.#caller, operations['webhook_endpoints.list'], [], request, options);
  }

  /**
   * Changes an endpoint; what is not given stays.
   *
   * `PATCH /v1/webhook_endpoints/{id}`
   *
   * Errors of its own:
   * - `invalid_webhook_url`: The address of a webhook endpoint is not allowed, e.g. a private one.
   * - `too_many_resources`: The account has as many of these as it may have.
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  update(id: string, request: UpdateWebhookEndpointRequest = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#caller.unary<WebhookEndpoint>(operations['webhook_endpoints.update'], [id], request, options);
  }

  /**
   * Deletes an endpoint, with what was still to be delivered to it.
   *
   * `DELETE /v1/webhook_endpoints/{id}`
   *
   * Errors of its own:
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#caller.unary<void>(operations['webhook_endpoints.delete'], [id], {}, options);
  }

  /**
   * Makes a new secret, shown this once. Callbacks are signed with both for 24 hours.
   *
   * `POST /v1/webhook_endpoints/{id}/rotate_secret`
   *
   * Errors of its own:
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  rotateSecret(id: string, request: RotateWebhookSecretRequest = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#caller.unary<WebhookEndpoint>(operations['webhook_endpoints.rotate_secret'], [id], request, options);
  }

  /**
   * Lists what was or will be delivered to an endpoint, newest first.
   *
   * Iterate over the answer for the items of all pages; `page()` gets one page.
   *
   * `GET /v1/webhook_endpoints/{id}/deliveries`
   *
   * Errors of its own:
   * - `invalid_page_token`: The page token is not one of this list with these filters.
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  listDeliveries(id: string, request: ListWebhookDeliveriesRequest = {}, options?: CallOptions): List<WebhookDelivery> {
    return new List<WebhookDelivery>(this.#caller, operations['webhook_endpoints.list_deliveries'], [id], request, options);
  }

  /**
   * Delivers an event once more, with the same id and body.
   *
   * `POST /v1/webhook_endpoints/{id}/deliveries/{event_id}/redeliver`
   *
   * Errors of its own:
   * - `endpoint_disabled`: The webhook endpoint is switched off; switch it on first.
   * - `webhook_delivery_not_found`: The event was not sent to this endpoint, or too long ago.
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  redeliver(id: string, eventId: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#caller.unary<WebhookDelivery>(operations['webhook_endpoints.redeliver'], [id, eventId], {}, options);
  }

  /**
   * Sends an example event to the endpoint now, once, and tells what came back.
   *
   * `POST /v1/webhook_endpoints/{id}/test`
   *
   * Errors of its own:
   * - `invalid_webhook_url`: The address of a webhook endpoint is not allowed, e.g. a private one.
   * - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
   */
  test(
    id: string,
    request: TestWebhookEndpointRequest = {},
    options?: CallOptions,
  ): Promise<TestWebhookEndpointResponse> {
    return this.#caller.unary<TestWebhookEndpointResponse>(operations['webhook_endpoints.test'], [id], request, options);
  }
}
