// A call of a unary method as its handler sees it, made with a live key.
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { createContextValues, createHandlerContext } from '@connectrpc/connect';
import { contextKeys } from '../../../../src/api/waist/context.ts';

const caller = {
  kind: 'key' as const,
  accountId: 'acct_1',
  mode: 'live' as const,
  keyId: 'key_1',
  name: 'one',
  scopes: [],
  expiresAt: null,
};

export const callOf = (
  method: DescMethodUnary,
  { key, signal }: { key?: string | undefined; signal?: AbortSignal | undefined } = {},
) =>
  createHandlerContext({
    service: method.parent,
    method,
    protocolName: 'rest',
    requestMethod: 'POST',
    url: '/',
    contextValues: createContextValues().set(contextKeys.principal, caller).set(contextKeys.idempotencyKey, key),
    ...(signal ? { requestSignal: signal } : {}),
  });
