// The story of a session as a picture draws it: lanes on a time axis, one for each leg, with marks for what happened, how the leg ended,
// and why the cascade moved on. It is made from the JSON of a session alone, and is the same in a browser and in a terminal.

import { type Lane, type Story, type StorySession, timeOf, timeoutMsOf } from './shapes.ts';
import { Walk } from './walk.ts';

export type { Lane, Mark, Story, StorySession } from './shapes.ts';

/** @param nowMs - Unix milliseconds of the clock that the session's times are of. */
export function storyOf(session: StorySession, nowMs: number): Story {
  const walk = new Walk(session);
  for (const entry of session.timeline ?? []) walk.take(entry);
  const { lanes, marks, current } = walk.finish();
  const isMoving = current !== null || lanes.some(({ isCallUp }) => isCallUp);
  const times = [...marks, ...lanes.flatMap((lane) => lane.marks)].map(({ atMs }) => atMs);
  const openedMs = timeOf(session.created_at) ?? times[0] ?? nowMs;
  const startMs = Math.min(openedMs, ...times);
  return {
    startMs,
    endMs: Math.max(startMs, ...times, ...(isMoving ? [nowMs] : [])),
    lanes,
    marks,
    ahead: aheadOf(session, current),
    isOver: session.status !== 'pending',
    isMoving,
  };
}

/**
 * A run takes the legs of the cascade from its first one on, each channel once. One of another channel stands alone, and nothing follows a
 * message that was in doubt and went out once more.
 */
function aheadOf(session: StorySession, current: Lane | null): Story['ahead'] {
  if (session.messages?.some(({ id, attempt }) => id === current?.messageId && (attempt ?? 1) > 1)) return [];
  const cascade = session.cascade ?? [];
  const at = cascade.findIndex(({ channel }) => channel === current?.channel);
  if (at < 0) return [];
  return cascade.slice(at + 1).map(({ channel }) => ({ channel, timeoutMs: timeoutMsOf(session, channel) }));
}
