// Sessions in memory that are older than what another process has stored. A change of one is found out when it is saved; what changes nothing, or is
// about what memory does not know, has to look at what is stored.

import type { Session } from '../../core/verify/session.ts';
import type { Job, Work } from './session-line.ts';

/**
 * Whether a session in memory is older than what an event is about: a message that another process has stored since, or a deadline that
 * it has set or moved. Without a look at what is stored, a receipt would be acknowledged and lost.
 */
export const isOlderThan = (jobs: readonly Job[], { messages, nextAt }: Session, now: number): boolean =>
  jobs.some(({ event }) => {
    if (typeof event === 'function') return false;
    if (event.kind === 'deadline') return nextAt === null || nextAt > now;
    return 'messageId' in event && !messages.some(({ id }) => id === event.messageId);
  });

/** Whether a refusal may be of an older memory: that the run is exhausted since allows a resend at once. */
export const mayBeOutdated = ({ outcomes }: Pick<Work, 'outcomes'>): boolean =>
  outcomes.some(({ outcome }) => outcome.kind === 'resend_too_soon');
