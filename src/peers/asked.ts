// What a question to another process may come to, and how long its answer is waited for.

/** Why a question was not answered by the peer. Nobody knows whether it was done: the work carries an id that tells. */
export type DirectReason =
  /** No connection. */
  | 'no_peer'
  /** It had not been heard for too long, and was not asked. */
  | 'silent'
  /** It took the question, and has not been heard since. */
  | 'fell_silent'
  /** The question was not taken in time. */
  | 'not_taken'
  /** The peer read the question too late to do it. */
  | 'late'
  /** The peer's work threw. */
  | 'failed'
  /** The connection broke before the answer came. */
  | 'lost'
  | 'too_large'
  /** Too many questions are under way, or the connection takes no more octets. */
  | 'full';

export type Asked = { kind: 'answered'; body: string } | { kind: 'direct'; why: DirectReason };

export interface AskOptions {
  /**
   * Waits through silence, until the connection is over or the peer's lease has ended as well: for work that the caller can't do itself in
   * place of the peer, and that is in doubt without an answer.
   */
  isPatient?: boolean;
}
