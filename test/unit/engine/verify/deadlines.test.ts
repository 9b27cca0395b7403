// A deadline is met at its time by the clock, however early its timer rings.
import { afterEach, expect, test, vi } from 'vitest';
import type { EngineStore } from '../../../../src/db/engine-store.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Sessions } from '../../../../src/engine/sessions/sessions.ts';
import { Deadlines } from '../../../../src/engine/verify/deadlines.ts';
import { Story } from '../../../support/session.ts';
import { until } from '../../../support/wait.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Deadlines by a clock that is `aheadMs` ahead, over sessions of which nothing is due before their `nextAt`. `early` runs where one is asked too early. */
function deadlines(nextInMs: number, early = (_: { aheadMs: number }) => {}) {
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const session = { ...new Story().session, nextAt: now() + nextInMs };
  const metAt: number[] = [];
  const sessions = {
    apply: async () => {
      if (now() >= session.nextAt) metAt.push(now());
      else early(clock);
      return { kind: 'applied', session: metAt.length > 0 ? { ...session, nextAt: null } : session };
    },
  };
  const context = { now, fleet: { processId: 'p' }, log: { error: () => {} } };
  const made = new Deadlines(
    context as unknown as EngineContext,
    {} as unknown as EngineStore,
    sessions as unknown as Sessions,
  );
  return { made, session, clock, metAt };
}

test('a clock that was set back while the timer ran: the deadline is waited for again', async () => {
  const { made, session, clock, metAt } = deadlines(20);
  made.follow(session);
  clock.aheadMs = -60;
  await until(() => metAt.length === 1, { what: 'the deadline to be met' });
  expect(metAt[0]).toBeGreaterThanOrEqual(session.nextAt);
  made.stop();
});

test('a time that comes while a deadline is judged too early: it is met all the same', async () => {
  const { made, session, clock, metAt } = deadlines(20, (judging) => {
    judging.aheadMs = 0;
  });
  made.follow(session);
  clock.aheadMs = -1_000;
  await until(() => metAt.length === 1, { what: 'the deadline to be met' });
  expect(metAt[0]).toBeGreaterThanOrEqual(session.nextAt);
  made.stop();
});

test('a deadline that is weeks ahead, because the clock was set back by as much: it is asked for once a day, and not without end', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let asked = 0;
  const { made, session } = deadlines(60 * 86_400_000, () => {
    asked += 1;
  });
  made.follow(session);
  vi.advanceTimersByTime(86_399_000);
  expect(asked).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(asked).toBe(1);
  made.stop();
});
