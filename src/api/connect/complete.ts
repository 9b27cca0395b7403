// Errors that Connect raises before the interceptors run (a body it can't read) get our code and the request's id too.

import { create, toBinary } from '@bufbuild/protobuf';
import { base64Encode } from '@bufbuild/protobuf/wire';
import type { UniversalServerResponse } from '@connectrpc/connect/protocol';
import { ErrorInfoSchema, RequestInfoSchema } from '../../gen/google/rpc/error_details_pb.ts';
import { type ErrorCode, errorDomain } from '../waist/errors.ts';

interface ErrorJson {
  code: string;
  message?: string;
  details?: { type: string; value: string }[];
}

/** Only unary errors are plain JSON; those of streams are at the end of the stream, and always came past the interceptors. */
export function completeErrors(response: UniversalServerResponse, requestId: string): UniversalServerResponse {
  const type = new Headers(response.header).get('content-type');
  if (response.status < 400 || type !== 'application/json' || !response.body) return response;
  const body = response.body as AsyncIterable<Uint8Array>;
  return {
    ...response,
    body: completed(body, requestId, new Headers(response.header)),
    header: withoutLength(response),
  };
}

async function* completed(body: AsyncIterable<Uint8Array>, requestId: string, header: Headers) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const plain = !header.has('content-encoding');
  yield plain ? Buffer.from(JSON.stringify(withDetails(JSON.parse(bytes.toString()) as ErrorJson, requestId))) : bytes;
}

function withDetails(error: ErrorJson, requestId: string): ErrorJson {
  const details = error.details ?? [];
  if (details.some((detail) => detail.type === ErrorInfoSchema.typeName)) return error;
  const info = create(ErrorInfoSchema, { reason: reasonOf(error.code), domain: errorDomain });
  const request = create(RequestInfoSchema, { requestId });
  return {
    ...error,
    details: [
      ...details,
      { type: ErrorInfoSchema.typeName, value: base64Encode(toBinary(ErrorInfoSchema, info)) },
      { type: RequestInfoSchema.typeName, value: base64Encode(toBinary(RequestInfoSchema, request)) },
    ],
  };
}

function reasonOf(code: string): ErrorCode {
  switch (code) {
    case 'resource_exhausted':
      return 'request_too_large';
    case 'unimplemented':
      return 'unimplemented';
    case 'invalid_argument':
      return 'malformed_request';
    default:
      return 'internal';
  }
}

function withoutLength({ header }: UniversalServerResponse): Headers {
  const result = new Headers(header);
  result.delete('content-length');
  return result;
}
