// What Connect's gRPC transport throws, as errors of the SDK.

import { Code, ConnectError } from '@connectrpc/connect';
import { errorOfDetails } from '../connect-error.ts';

/** ApiError where the service said so; what is left is the network's, for limit.ts to explain. */
export function grpcError(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  const details = error.details.flatMap((detail) =>
    'type' in detail ? [{ type: detail.type.replace(/^.*\//, ''), bytes: detail.value }] : [],
  );
  const isAnswer = details.some(({ type }) => type === 'google.rpc.ErrorInfo');
  if (!isAnswer && isOfTheNetwork(error.code)) return error;
  return errorOfDetails({ word: wordOf(error.code), message: error.rawMessage, details }, error.metadata);
}

/** Statuses that the transport makes itself when a connection fails. */
const isOfTheNetwork = (code: Code): boolean =>
  [Code.Unavailable, Code.Canceled, Code.Aborted, Code.DeadlineExceeded, Code.Internal, Code.Unknown].includes(code);

/** `InvalidArgument` → `invalid_argument` */
const wordOf = (code: Code): string => Code[code].replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
