// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import { List } from '../../list.ts';
import type { CallOptions, Caller } from '../../operation.ts';
import { operations } from '../operations.ts';
import type { ApiKey, CreateApiKeyRequest, ListApiKeysRequest } from '../types.ts';

/** API keys of the account. */
export class ApiKeysResource {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates a key. Only this response shows its text. A key cannot grant scopes that it lacks, nor a longer life than
   * its own.
   *
   * `POST /v1/api_keys`
   *
   * Errors of its own:
   * - `expires_too_late`: The new key would outlive the key that creates it.
   * - `live_key_required`: A test key can't manage live resources.
   * - `too_many_resources`: The account has as many of these as it may have.
   */
  create(request: CreateApiKeyRequest, options?: CallOptions): Promise<ApiKey> {
    return this.#caller.unary<ApiKey>(operations['api_keys.create'], [], request, options);
  }

  /**
   * Lists keys, newest first: a live key sees those of both modes, a test key those of test mode.
   *
   * Iterate over the answer for the items of all pages; `page()` gets one page.
   *
   * `GET /v1/api_keys`
   *
   * Errors of its own:
   * - `invalid_page_token`: The page token is not one of this list with these filters.
   */
  list(request: ListApiKeysRequest = {}, options?: CallOptions): List<ApiKey> {
    return new List<ApiKey>(this.#caller, operations['api_keys.list'], [], request, options);
  }

  /**
   * Revokes a key everywhere within a second. Revoking twice is the same as once.
   *
   * `POST /v1/api_keys/{id}/revoke`
   *
   * Errors of its own:
   * - `api_key_not_found`: No such key in this account and mode.
   * - `last_manage_key`: The last live key with the scope `manage` can't be revoked.
   */
  revoke(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.#caller.unary<ApiKey>(operations['api_keys.revoke'], [id], {}, options);
  }
}
