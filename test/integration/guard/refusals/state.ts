// The form of a case of states.ts: one call, and the server and key that it is made with.
import type { JsonObject } from '@bufbuild/protobuf';
import type { ErrorCode } from '../../../../src/gen/values.ts';
import type { ServerName } from './world.ts';

export interface State {
  /** Asked once a door: a call that changes something must be another at each. */
  input(): JsonObject;
  /** Default: the live key of the first account. */
  key?: string;
  idempotencyKey?: string;
  /** Default `wide`. */
  at?: ServerName;
}

export interface States {
  cases: Record<string, State>;
  /** Codes that the RPC declares and that no call can bring about from outside. */
  notReached?: readonly ErrorCode[];
}

/** Of any list; `token` is one of another. */
export const pages = (token: string, more: JsonObject = {}, key?: string): Record<string, State> => {
  const by = key === undefined ? {} : { key };
  return {
    'a page token that is none': { ...by, input: () => ({ page_token: 'x', ...more }) },
    'a page token of another list': { ...by, input: () => ({ page_token: token, ...more }) },
  };
};
