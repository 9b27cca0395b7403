// Metadata of grpc-js as web headers, and back; errors as trailers.

import { toBinary } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { logVerbosity, Metadata, type ServerErrorResponse, setLogVerbosity } from '@grpc/grpc-js';
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts';
import { toStatus } from '../waist/errors.ts';
import { readHeaders } from '../waist/invoke.ts';

// On metadata it can't read, grpc-js writes name and value to standard error: the value may be somebody's key.
setLogVerbosity(logVerbosity.NONE);

/** Those that are read. */
export function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const name of readHeaders) {
    const values = metadata.get(name);
    if (values.length > 0) headers.set(name, values.join(', '));
  }
  return headers;
}

export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of headers) metadata.set(name, value);
  return metadata;
}

/** The error as grpc-js sends it: status, message, and the details in `grpc-status-details-bin`. */
export function serverError(error: ConnectError): ServerErrorResponse {
  const metadata = metadataOf(error.metadata);
  metadata.set('grpc-status-details-bin', Buffer.from(toBinary(StatusSchema, toStatus(error))));
  return {
    name: 'ServerError',
    message: error.rawMessage,
    code: error.code as number,
    details: error.rawMessage,
    metadata,
  };
}
