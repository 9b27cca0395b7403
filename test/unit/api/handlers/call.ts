// A call of a unary method as its handler sees it, made with a live key.
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { createContextValues, createHandlerContext } from '@connectrpc/connect';
import { contextKeys } from '../../../../src/api/waist/context.ts';
import type { Scope } from '../../../../src/gen/values.ts';

const caller = {
  kind: 'key' as const,
  accountId: 'acct_1',
  mode: 'live' as const,
  keyId: 'key_1',
  name: 'one',
  expiresAt: null,
};

export const callOf = (
  method: DescMethodUnary,
  { key, signal, scopes = [] }: { key?: string | undefined; signal?: AbortSignal | undefined; scopes?: Scope[] } = {},
) =>
  createHandlerContext({
    service: method.parent,
    method,
    protocolName: 'rest',
    requestMethod: 'POST',
    url: '/',
    contextValues: createContextValues()
      .set(contextKeys.principal, { ...caller, scopes })
      .set(contextKeys.idempotencyKey, key),
    ...(signal ? { requestSignal: signal } : {}),
  });
