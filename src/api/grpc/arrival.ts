// The time within which the one request of a call has to arrive. grpc-js waits for it without end and keeps what has come of it: up to 64 KiB for each
// call under way on a connection, and a stranger may have as many of these as there may be.

import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { type Alarm, alarm } from '../../time/alarm.ts';
import type { Gate } from '../clients/gate.ts';

/** As long as a call may take that asks for no time of its own. */
const defaultMs = 10_000;

/** A request that is late ends its connection, too, where that has shown no good key: a call that ended alone would still hold what has come of it. */
export function arrival(gate: Pick<Gate, 'of'>, ms = defaultMs): ServerInterceptor {
  return ({ requestStream }, call) => {
    if (requestStream) return new ServerInterceptingCall(call);
    let waiting: Alarm | undefined;
    const arrived = (): void => waiting?.clear();
    const late = (): void => {
      if (gate.of(call.getPeer())?.cutUnproven()) return;
      call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: `the request did not arrive within ${ms} ms` });
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, go) => {
            waiting = alarm(late, ms, { ref: false });
            go(metadata);
          },
          onReceiveHalfClose: (go) => {
            arrived();
            go();
          },
          onCancel: arrived,
        }),
    });
  };
}
