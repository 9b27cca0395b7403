// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import type { CallOptions, Caller } from '../../operation.ts';
import { operations } from '../operations.ts';
import type {
  Account,
  CreateAccountRequest,
  CreateAccountResponse,
  GetMeasuresResponse,
  UpdateAccountRequest,
} from '../types.ts';

/** Accounts and their settings. A test key sees and changes the settings of test mode. */
export class AccountsResource {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates an account and issues its live and its test key; the keys are shown this once.
   *
   * Needs the admin token of the deployment as `apiKey`, unless registration is open.
   *
   * `POST /v1/accounts`
   *
   * Errors of its own:
   * - `registration_closed`: Accounts are made by the operator of this deployment.
   */
  create(request: CreateAccountRequest, options?: CallOptions): Promise<CreateAccountResponse> {
    return this.#caller.unary<CreateAccountResponse>(operations['accounts.create'], [], request, options);
  }

  /**
   * Gets the account of the key.
   *
   * `GET /v1/account`
   */
  get(options?: CallOptions): Promise<Account> {
    return this.#caller.unary<Account>(operations['accounts.get'], [], {}, options);
  }

  /**
   * Changes settings of the account; what is not given stays.
   *
   * `PATCH /v1/account`
   *
   * Errors of its own:
   * - `live_key_required`: A test key can't manage live resources.
   */
  update(request: UpdateAccountRequest = {}, options?: CallOptions): Promise<Account> {
    return this.#caller.unary<Account>(operations['accounts.update'], [], request, options);
  }

  /**
   * Gets the two time-to-market measures, and what they are made from.
   *
   * `GET /v1/account/measures`
   */
  getMeasures(options?: CallOptions): Promise<GetMeasuresResponse> {
    return this.#caller.unary<GetMeasuresResponse>(operations['accounts.get_measures'], [], {}, options);
  }
}
