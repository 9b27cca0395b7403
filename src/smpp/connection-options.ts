// What a connection to an SMSC is made with: times, limits, and who hears of what comes.

import type { DeliverHandler } from './deliveries.ts';
import type { BindObserver } from './observer.ts';
import type { Answer, Pdu, PduInput, Request } from './pdu.ts';
import type { Clock } from './timers.ts';

export interface ConnectionOptions {
  clock: Clock;
  responseTimeoutMs: number;
  enquireLinkIdleMs: number;
  enquireLinkMisses: number;
  /** Null = never. */
  inactivityMs: number | null;
  /** Longest PDU that is accepted; a longer length means that the stream is broken. */
  maxPduOctets: number;
  /** Incoming messages in the handler at once; beyond it reading stops. */
  maxDeliveries: number;
  /** How long the handler may take with one message; checked at intervals, not to the millisecond. */
  deliverTimeoutMs: number;
  onDeliver: DeliverHandler;
  /** `writable` is true again. */
  onWritable?(): void;
  /** An answer to a request that was already reported as `unknown`. `request` is the very object that was passed in. */
  onLateAnswer?(request: PduInput<Request>, answer: Pdu<Answer>, status: number): void;
  observer: BindObserver;
}
