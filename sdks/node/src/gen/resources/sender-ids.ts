// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import { List } from '../../list.ts';
import type { CallOptions, Caller } from '../../operation.ts';
import { operations } from '../operations.ts';
import type { CreateSenderIdRequest, DecideSenderIdRequest, ListSenderIdsRequest, SenderId } from '../types.ts';

/** Custom sender names of the account. */
export class SenderIdsResource {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Asks every operator for a sender name. Decisions are due within 72 hours.
   *
   * `POST /v1/sender_ids`
   *
   * Errors of its own:
   * - `live_key_required`: A test key can't manage live resources.
   * - `sender_id_exists`: The account has this sender name already.
   * - `too_many_resources`: The account has as many of these as it may have.
   */
  create(request: CreateSenderIdRequest, options?: CallOptions): Promise<SenderId> {
    return this.#caller.unary<SenderId>(operations['sender_ids.create'], [], request, options);
  }

  /**
   * Gets a sender name and what each operator decided.
   *
   * `GET /v1/sender_ids/{id}`
   *
   * Errors of its own:
   * - `sender_id_not_found`: No such sender name in this account.
   */
  get(id: string, options?: CallOptions): Promise<SenderId> {
    return this.#caller.unary<SenderId>(operations['sender_ids.get'], [id], {}, options);
  }

  /**
   * Lists sender names, newest first.
   *
   * Iterate over the answer for the items of all pages; `page()` gets one page.
   *
   * `GET /v1/sender_ids`
   *
   * Errors of its own:
   * - `invalid_page_token`: The page token is not one of this list with these filters.
   */
  list(request: ListSenderIdsRequest = {}, options?: CallOptions): List<SenderId> {
    return new List<SenderId>(this.#caller, operations['sender_ids.list'], [], request, options);
  }

  /**
   * Records what an operator decided about a sender name. For the operator of the deployment.
   *
   * Needs the admin token of the deployment as `apiKey`.
   *
   * `POST /v1/sender_ids/{id}/decisions`
   *
   * Errors of its own:
   * - `sender_id_not_found`: No such sender name in this account.
   * - `operator_not_found`: No operator of that id is configured.
   * - `already_decided`: What stands about the sender name does not allow this decision.
   */
  decide(id: string, request: DecideSenderIdRequest, options?: CallOptions): Promise<SenderId> {
    return this.#caller.unary<SenderId>(operations['sender_ids.decide'], [id], request, options);
  }
}
