// The time within which the one request of a call has to arrive. grpc-js waits for it without end and keeps what has come of it: up to 64 KiB for each
// call under way on a connection, and a stranger may have as many of these as there may be.

import {
  type ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import { alarm } from '../../time/alarm.ts';
import type { Gate } from '../clients/gate.ts';

/** As long as a call may take that asks for no time of its own. */
const defaultMs = 10_000;
/** Calls are looked at so often within it. */
const looks = 4;

/** A request that is late ends its connection, too, where that has shown no good key: a call that ended alone would still hold what has come of it. */
export function arrival(gate: Pick<Gate, 'of'>, ms = defaultMs): ServerInterceptor {
  /** Since when each is waited for; the oldest first. One alarm for all: nearly every request is there at once. */
  const waiting = new Map<ServerInterceptingCallInterface, number>();
  let isSet = false;

  const set = (): void => {
    if (isSet) return;
    isSet = true;
    alarm(look, ms / looks, { ref: false });
  };
  const look = (): void => {
    isSet = false;
    const late = performance.now() - ms;
    for (const [call, since] of waiting) {
      if (since > late) break;
      waiting.delete(call);
      if (gate.of(call.getPeer())?.cutUnproven()) continue;
      call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: `the request did not arrive within ${ms} ms` });
    }
    if (waiting.size > 0) set();
  };

  return ({ requestStream }, call) => {
    const { start } = call;
    if (!requestStream) {
      call.start = (listener) => {
        const { onReceiveMetadata, onReceiveHalfClose, onCancel } = listener;
        // Not called where the caller has gone already, as the others are not.
        listener.onReceiveMetadata = (metadata) => {
          waiting.set(call, performance.now());
          set();
          onReceiveMetadata.call(listener, metadata);
        };
        listener.onReceiveHalfClose = () => {
          waiting.delete(call);
          onReceiveHalfClose.call(listener);
        };
        listener.onCancel = () => {
          waiting.delete(call);
          onCancel.call(listener);
        };
        start.call(call, listener);
      };
    }
    // The call itself: a wrapper of the library's is a good part of a short call.
    return call as unknown as ServerInterceptingCall;
  };
}
