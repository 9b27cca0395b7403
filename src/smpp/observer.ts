// The observer of a bind: its states, and hooks for metrics and logs. They are plain functions, because the library knows neither a
// metrics library nor a logger. Hooks must not throw.

export type BindState =
  | 'connecting'
  | 'bound'
  /** Bound, and its last messages were left without an answer: it gets none that another bind can take, until one is answered. */
  | 'sick'
  /** Unbinding, because `close` was called. */
  | 'closing'
  /** Waiting before the next try. */
  | 'backing_off'
  /** Waiting long: the operator refuses the credentials, and a person must correct them or call the operator. */
  | 'alarm'
  | 'closed';

/** Things that should not happen and are survived. */
export type Oddity =
  | 'late_answer'
  | 'duplicate_answer'
  | 'unknown_answer'
  | 'unknown_command'
  | 'malformed_request'
  /** A message whose optional parameters are cut off; what is before the cut was read. */
  | 'damaged_options'
  /** The SMSC says that a phone is there again, or asks to be bound to: neither is of use here, and neither has an answer. */
  | 'alert_notification'
  | 'outbind'
  | 'handler_failed';

export interface BindObserver {
  /** `detail`: why, in words for a log; e.g. `ESME_RINVPASWD` or `connect ECONNREFUSED …`. */
  onState?(state: BindState, detail: string): void;
  /** command_status of an answer to a request of ours. */
  onStatus?(command: string, status: number): void;
  onSubmitRtt?(ms: number): void;
  /** The operator answered "too fast" (0x58, 0x14, 0x08): send more slowly. */
  onThrottle?(status: number): void;
  /** submit_sm without an answer yet. Called whenever that changes, and when a slow peer takes octets again: look at `free`. */
  onWindow?(outstanding: number): void;
  /** An incoming message was answered with this command_status. */
  onDelivery?(status: number): void;
  onOddity?(oddity: Oddity, detail: string): void;
}
