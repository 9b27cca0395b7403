// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import type { CallOptions, Caller } from '../../operation.ts';
import { operations } from '../operations.ts';
import type { ConnectWabaRequest, CreateWabaSignupRequest, CreateWabaSignupResponse, Waba } from '../types.ts';

/**
 * The business's own account at the messaging platform. Once it is linked, the account's live messages on that channel
 * go out from the business's own number. There is none in test mode.
 */
export class WabaResource {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Starts an embedded signup: answers the address of a page where the business links its account. Good once, for ten
   * minutes.
   *
   * `POST /v1/waba/signups`
   *
   * Errors of its own:
   * - `live_key_required`: A test key can't manage live resources.
   * - `waba_already_connected`: The account has linked a messaging-app account; unlink it first.
   * - `unimplemented`: This deployment does not offer the operation.
   */
  createSignup(request: CreateWabaSignupRequest = {}, options?: CallOptions): Promise<CreateWabaSignupResponse> {
    return this.#caller.unary<CreateWabaSignupResponse>(operations['waba.create_signup'], [], request, options);
  }

  /**
   * Links an account: with what an embedded signup ended with (`code`, `state`), or by hand (`access_token`). The steps
   * at the platform are taken in the background; `status` tells how they stand.
   *
   * `POST /v1/waba`
   *
   * Errors of its own:
   * - `live_key_required`: A test key can't manage live resources.
   * - `invalid_signup_state`: The state of the signup is not one of this account, was used already, or is older than
   *   ten minutes. Start the signup again.
   * - `waba_already_connected`: The account has linked a messaging-app account; unlink it first.
   * - `phone_number_taken`: The phone number id belongs to another account of this service.
   * - `unimplemented`: This deployment does not offer the operation.
   */
  connect(request: ConnectWabaRequest, options?: CallOptions): Promise<Waba> {
    return this.#caller.unary<Waba>(operations['waba.connect'], [], request, options);
  }

  /**
   * Gets the linked account, the one being linked, or the one that was linked last.
   *
   * `GET /v1/waba`
   *
   * Errors of its own:
   * - `waba_not_found`: The account has never linked a messaging-app account; in test mode there is none.
   */
  get(options?: CallOptions): Promise<Waba> {
    return this.#caller.unary<Waba>(operations['waba.get'], [], {}, options);
  }

  /**
   * Unlinks the account: from now on messages go out from the platform's number. Its secrets are forgotten.
   *
   * `DELETE /v1/waba`
   *
   * Errors of its own:
   * - `live_key_required`: A test key can't manage live resources.
   * - `waba_not_found`: The account has never linked a messaging-app account; in test mode there is none.
   */
  disconnect(options?: CallOptions): Promise<Waba> {
    return this.#caller.unary<Waba>(operations['waba.disconnect'], [], {}, options);
  }
}
