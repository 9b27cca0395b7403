// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import { List } from '../../list.ts';
import type { CallOptions, Caller } from '../../operation.ts';
import { operations } from '../operations.ts';
import type {
  CheckRequest,
  CheckResponse,
  ListSessionsRequest,
  SendRequest,
  SendResponse,
  Session,
  WatchSessionResponse,
} from '../types.ts';

/** Verifies that somebody controls a phone number. */
export class VerifyResource {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Sends a code: one call opens a session and starts its cascade. While a session for the same number and purpose is
   * pending, a further call is a resend: same session, same code, a new run of the cascade.
   *
   * `POST /v1/verify/send`
   *
   * Errors of its own:
   * - `invalid_phone_number`: `to` is not an assigned mobile number in international format.
   * - `unsupported_destination`: The number is valid, but no configured operator serves it.
   * - `scenario_number`: A scenario number was used with a live key outside the sandbox.
   * - `sender_id_not_approved`: The sender name is not approved at the number's operator.
   * - `autofill_not_registered`: The site or app in `autofill` is not registered on the account, or not approved yet;
   *   `field` names which. See `autofill` of the account.
   * - `no_route`: No leg of the cascade can be used for this number; no session was made.
   * - `session_differs`: A session for this number and purpose is pending and was opened with something else; `field`
   *   names what differs.
   * - `resend_too_soon`: The last send of this session was too short a time ago; `resend_after` says when the next may
   *   come.
   * - `too_many_sends`: The session has as many sends as it may have; `Retry-After` says when it is over.
   * - `number_rate_limited`: Too many codes were sent to this number.
   * - `overloaded`: More is queued than can be sent in time: nothing was stored; try again after `Retry-After`.
   */
  send(request: SendRequest, options?: CallOptions): Promise<SendResponse> {
    return this.#caller.unary<SendResponse>(operations['verify.send'], [], request, options);
  }

  /**
   * Checks a code. Wrong, late and repeated codes are answers with `valid: false` and a reason, not errors.
   *
   * `POST /v1/verify/check`
   *
   * Errors of its own:
   * - `invalid_code`: What was given is not digits of the right length; it costs no try.
   * - `invalid_phone_number`: `to` is not an assigned mobile number in international format.
   * - `session_not_found`: No such session in this account and mode.
   * - `number_locked`: Too many wrong codes for this number, within the hour or in a row.
   */
  check(request: CheckRequest, options?: CallOptions): Promise<CheckResponse> {
    return this.#caller.unary<CheckResponse>(operations['verify.check'], [], request, options);
  }

  /**
   * Gets a session with its whole timeline: every message, receipt, cost, and why the cascade moved or stopped.
   *
   * `GET /v1/verify/sessions/{id}`
   *
   * Errors of its own:
   * - `session_not_found`: No such session in this account and mode.
   */
  get(id: string, options?: CallOptions): Promise<Session> {
    return this.#caller.unary<Session>(operations['verify.get'], [id], {}, options);
  }

  /**
   * Lists sessions, newest first, without their messages and timelines.
   *
   * Iterate over the answer for the items of all pages; `page()` gets one page.
   *
   * `GET /v1/verify/sessions`
   *
   * Errors of its own:
   * - `invalid_page_token`: The page token is not one of this list with these filters.
   * - `invalid_phone_number`: `to` is not an assigned mobile number in international format.
   */
  list(request: ListSessionsRequest = {}, options?: CallOptions): List<Session> {
    return new List<Session>(this.#caller, operations['verify.list'], [], request, options);
  }

  /**
   * Cancels a pending session: nothing more is sent, its code is void. Canceling twice is the same as once.
   *
   * `POST /v1/verify/sessions/{id}/cancel`
   *
   * Errors of its own:
   * - `session_not_found`: No such session in this account and mode.
   * - `session_not_pending`: The session is over.
   */
  cancel(id: string, options?: CallOptions): Promise<Session> {
    return this.#caller.unary<Session>(operations['verify.cancel'], [id], {}, options);
  }

  /**
   * Follows a session live: first as it is, then after every change, until it is over. gRPC, gRPC-web and Connect.
   *
   * A lost connection is made again; leaving the loop ends the watch.
   *
   * Errors of its own:
   * - `session_not_found`: No such session in this account and mode.
   * - `too_many_watches`: The account already watches as many sessions as it may watch at once. End a watch first.
   */
  watch(id: string, options?: CallOptions): AsyncIterable<WatchSessionResponse> {
    return this.#caller.watch<WatchSessionResponse>(operations['verify.watch'], [id], {}, options);
  }
}
