// One line of log and one observation per call, however it ended; also for calls that a door refused before any handler.

import type { ContextValues } from '@connectrpc/connect';
import { ConnectError } from '@connectrpc/connect';
import { isRefusal } from '../clients/refusals.ts';
import { type CallOrigin, contextKeys } from './context.ts';
import { type ErrorCode, faultOf } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Observer } from './ports.ts';

export interface CallEnd {
  code: 'ok' | ErrorCode;
}

export interface Ended {
  logger: Logger;
  observer: Observer;
  origin: CallOrigin;
  /** `ramz.v1.VerifyService/Send`, or the route. */
  method: string;
  /** `performance.now()` at its start. */
  startedAt: number;
  /** What it ended with; undefined = well. */
  error: unknown;
  values?: ContextValues;
}

export function reportCall({ logger, observer, origin, method, startedAt, error, values }: Ended): CallEnd {
  const seconds = (performance.now() - startedAt) / 1000;
  const fault = error instanceof ConnectError ? faultOf(error) : undefined;
  const code = fault?.code ?? (error === undefined ? 'ok' : 'internal');
  observer({ method, door: origin.door, code, seconds });
  if (values?.get(contextKeys.unlogged)) return { code };
  const caller = values?.get(contextKeys.principal);
  const line = {
    request_id: origin.requestId,
    method,
    door: origin.door,
    client: origin.peer,
    code,
    ms: Math.round(seconds * 100_000) / 100,
    ...(caller?.kind === 'key' ? { account_id: caller.accountId, key_id: caller.keyId } : {}),
    ...(fault?.field === undefined ? {} : { field: fault.field }),
  };
  if (code === 'internal') {
    const cause = error instanceof ConnectError ? (error.cause ?? error) : error;
    logger.error({ ...line, err: cause }, 'call failed');
  } else if (isRefusal(code)) logger.warn(line, 'call with no good key');
  else logger.info(line, 'call');
  return { code };
}
