// Which of the two protocols a request of Connect's paths speaks, and whose deadline holds.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { connectOrigin } from '../../../src/api/connect/handler.ts';

test.each([
  ['application/json', 'connect', 1_000],
  ['application/grpc-web+proto', 'grpc-web', 2_000],
  // Names of types are compared in any case (RFC 9110 section 8.3.1), by Connect, too.
  ['Application/gRPC-Web+Proto', 'grpc-web', 2_000],
])('%s', (type, door, timeoutMs) => {
  const headers = { 'content-type': type, 'connect-timeout-ms': '1000', 'grpc-timeout': '2S' };
  expect(connectOrigin({ headers } as unknown as IncomingMessage)).toEqual({ door, timeoutMs });
});
