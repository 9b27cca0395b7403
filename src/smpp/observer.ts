// What a bind tells whoever counts. No metrics library is known here. Hooks must not throw.

export type BindState =
  | 'connecting'
  | 'bound'
  /** Unbinding because it was told to. */
  | 'closing'
  /** Waits before the next try. */
  | 'backing_off'
  /** Waits long: the operator refuses the credentials, and a person must look. */
  | 'alarm'
  | 'closed';

/** Things that should not happen and are survived. */
export type Oddity =
  | 'late_answer'
  | 'duplicate_answer'
  | 'unknown_answer'
  | 'unknown_command'
  | 'malformed_request'
  | 'handler_failed';

export interface BindObserver {
  /** `detail`: why, in words for a log; e.g. `ESME_RINVPASWD` or `connect ECONNREFUSED …`. */
  onState?(state: BindState, detail: string): void;
  /** command_status of an answer to a request of ours. */
  onStatus?(command: string, status: number): void;
  onSubmitRtt?(ms: number): void;
  /** The operator said "too fast" (0x58, 0x14, 0x08): whoever paces the sends wants to know. */
  onThrottle?(status: number): void;
  /** submit_sm without an answer yet. Called whenever that changes, and when a slow peer takes octets again: look at `free`. */
  onWindow?(outstanding: number): void;
  /** An incoming message was answered with this command_status. */
  onDelivery?(status: number): void;
  onOddity?(oddity: Oddity, detail: string): void;
}
