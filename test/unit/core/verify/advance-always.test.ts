// What holds in every story, whatever happens in whatever order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCallInHand, isCalling, isCurrentLeg, isInDoubt, stopReasonOf } from '../../../../src/core/verify/cascade.ts';
import type { Advance, Event } from '../../../../src/core/verify/event.ts';
import { defaultRules } from '../../../../src/core/verify/rules.ts';
import { isDelivered, isTerminal, type Message, type Session } from '../../../../src/core/verify/session.ts';
import { deepFreeze } from '../../../support/freeze.ts';
import { Story } from '../../../support/session.ts';
import { beginnings, play, steps } from '../../../support/session-steps.ts';

interface Seen {
  before: Session;
  event: Event;
  after: Advance;
  now: number;
}

/** Plays random stories and looks at each of their steps; inputs are frozen, so a step that writes on them throws. */
function always(look: (story: Story, seen: Seen[]) => void): void {
  fc.assert(
    fc.property(beginnings, steps, (request, list) => {
      const seen: Seen[] = [];
      const story = new Story({
        request: { sealedCode: 'sealed', ...request },
        onStep: (before, event, after, now) => {
          deepFreeze(after.next);
          seen.push({ before, event, after, now });
        },
      });
      deepFreeze(story.session);
      play(story, list);
      look(story, seen);
    }),
    { numRuns: 1500 },
  );
}

const emitted = ({ after }: Seen, type: string) =>
  after.effects.filter((effect) => effect.kind === 'emit' && effect.type === type);
const ends = ['session.verified', 'session.expired', 'session.canceled', 'session.failed'];

describe('always', () => {
  it('an ended session stays ended, in the same way', () => {
    always((_, seen) => {
      for (const { before, after } of seen.filter((step) => isTerminal(step.before))) {
        const { status, statusReason, verifiedAt, attempts, run, position } = before;
        expect(after.next).toMatchObject({ status, statusReason, verifiedAt, attempts, run, position });
      }
    });
  });

  it("the caller's own code is kept for as long as it can be checked, and goes with the change that ends the session", () => {
    always((_, seen) => {
      for (const { after } of seen) expect(after.next.sealedCode).toBe(isTerminal(after.next) ? '' : 'sealed');
    });
  });

  it('nothing is sent after the session ended, or after the code arrived unless it is asked for again', () => {
    always((_, seen) => {
      for (const { before, event, after } of seen) {
        const sends = after.effects.filter((effect) => effect.kind === 'send');
        expect(sends.length).toBeLessThanOrEqual(1);
        if (isTerminal(after.next)) expect(sends).toEqual([]);
        if (before.delivery === 'delivered' && event.kind !== 'resend') expect(sends).toEqual([]);
        if (after.next.delivery !== 'sending') expect(sends).toEqual([]);
      }
    });
  });

  it('nothing begins to be written after the session ended, the code arrived, or the leg ended, and no call too late to ring', () => {
    always((_, seen) => {
      for (const { before, event, after, now } of seen) {
        if (event.kind !== 'submitting' || after.outcome.kind !== 'done') continue;
        expect(isTerminal(after.next)).toBe(false);
        expect(after.next.delivery).toBe('sending');
        const { channel } = before.messages.find(({ id }) => id === event.messageId) as Message;
        expect(now).toBeLessThan((before.legEndsAt as number) - (channel === 'voice' ? defaultRules.ringMs : 0));
      }
    });
  });

  it('nothing is left in the queue but the leg under way', () => {
    always((_, seen) => {
      for (const { after } of seen) {
        const { messages, run, position, status, delivery } = after.next;
        for (const message of messages.filter((each) => each.status === 'queued')) {
          expect([message.run, message.position, status, delivery]).toEqual([run, position, 'pending', 'sending']);
        }
      }
    });
  });

  it('each leg is tried at most once, or twice where its first message is in doubt; ids are never used twice', () => {
    always(({ session }) => {
      const tries = session.messages.map(({ run, position, attempt }) => `${run} ${position} ${attempt}`);
      expect(new Set(tries).size).toBe(tries.length);
      expect(new Set(session.messages.map(({ id }) => id)).size).toBe(tries.length);
    });
  });

  it('a second message goes out once a run at most, of a leg that is no call, after its time in doubt, with no leg left', () => {
    always(({ session }, seen) => {
      const again = session.messages.filter(({ attempt }) => attempt > 1);
      expect(new Set(again.map(({ run }) => run)).size).toBe(again.length);
      for (const { id, run, position, channel } of again) {
        expect(channel).not.toBe('voice');
        const step = seen.find(({ after }) => after.next.messages.some((each) => each.id === id)) as Seen;
        const first = step.after.next.messages.find(
          (each) => each.run === run && each.position === position && each.id !== id,
        );
        expect(first).toMatchObject({ status: 'unknown', finalAt: null, receipts: [], attempt: 1 });
        const doubted = step.after.next.timeline.find(
          (each) => each.kind === 'message_unknown' && each.messageId === first?.id,
        );
        expect(step.now).toBeGreaterThanOrEqual((doubted?.at ?? Number.NaN) + defaultRules.inDoubtMs);
        const taken = step.after.next.timeline.filter((each) => each.run === run && each.kind.startsWith('leg_s'));
        for (let at = 0; at < step.after.next.legs.length; at += 1)
          expect(taken.map((each) => each.position)).toContain(at);
      }
    });
  });

  it('a leg in doubt ends within its time in doubt', () => {
    always((_, seen) => {
      for (const { after, now } of seen) {
        const { next } = after;
        const doubted = next.messages.find((each) => isCurrentLeg(next, each) && isInDoubt(each) && each.call === null);
        if (doubted) expect(next.legEndsAt).toBeLessThanOrEqual(now + defaultRules.inDoubtMs);
      }
    });
  });

  it('a message is written at most once, and once more under the default sender name or when it was not written', () => {
    always(({ session }, seen) => {
      for (const { id, senderFallback } of session.messages) {
        const of = (kind: string) =>
          seen.filter(({ event, after }) => {
            return (
              event.kind === kind && 'messageId' in event && event.messageId === id && after.outcome.kind === 'done'
            );
          }).length;
        expect(of('submitting')).toBeLessThanOrEqual(1 + of('not_sent') + (senderFallback ? 1 : 0));
      }
    });
  });

  it('the end is told exactly once, and only when it came', () => {
    always(({ session, told }) => {
      const last = told.filter((type) => ends.includes(type));
      expect(last).toEqual(isTerminal(session) ? [`session.${session.status}`] : []);
    });
  });

  it('a run is told to be exhausted at most once', () => {
    always((_, seen) => {
      const runs = seen.flatMap((step) => emitted(step, 'session.delivery_exhausted').map(() => step.after.next.run));
      expect(new Set(runs).size).toBe(runs.length);
    });
  });

  it('a deadline exists exactly while one is due: the earliest end of the leg, of the wait of its call, of the session and of messages at the app', () => {
    always((story, seen) => {
      for (const next of [story.session, ...seen.map(({ after }) => after.next)]) {
        const { legEndsAt, expiresAt, nextAt, delivery, messages } = next;
        const ofApp = messages.filter(({ channel, finalAt }) => channel === 'whatsapp' && finalAt === null);
        const ends = ofApp.flatMap(({ submittedAt }) =>
          submittedAt === null ? [] : [submittedAt + defaultRules.appDeliveryMs],
        );
        if (!isTerminal(next)) ends.push(legEndsAt ?? expiresAt, expiresAt);
        const waits = messages.some(({ channel, status }) => channel === 'voice' && status === 'queued');
        if (waits) ends.push((legEndsAt as number) - defaultRules.ringMs);
        expect(nextAt).toBe(ends.length > 0 ? Math.min(...ends) : null);
        expect(legEndsAt !== null).toBe(!isTerminal(next) && delivery === 'sending');
      }
    });
  });

  it('a message that the app has is over in its time, also after its session, and is told of once', () => {
    always((story, seen) => {
      for (let turn = 0; turn < 40 && story.session.nextAt !== null; turn += 1) story.deadlineAt(story.session.nextAt);
      const { session } = story;
      expect(session.nextAt).toBeNull();
      for (const { id, channel, submittedAt, finalAt } of session.messages) {
        if (channel === 'whatsapp' && submittedAt !== null) expect(finalAt).not.toBeNull();
        const ended = session.timeline.filter(
          ({ messageId, reason }) => messageId === id && reason === 'not_delivered_in_time',
        );
        expect(ended.length).toBeLessThanOrEqual(1);
      }
      const told = seen.flatMap((step) => emitted(step, 'message.failed'));
      expect(told).toHaveLength(session.timeline.filter(({ kind }) => kind === 'message_failed').length);
    });
  });

  it('a deadline that is done is not due any more', () => {
    always((_, seen) => {
      for (const { event, after, now } of seen.filter((step) => step.event.kind === 'deadline')) {
        expect(event.kind).toBe('deadline');
        if (after.next.nextAt !== null) expect(after.next.nextAt).toBeGreaterThan(now);
      }
    });
  });

  it('while a code is on its way there is a leg under way, and its message is there', () => {
    always((_, seen) => {
      for (const { next } of seen.map(({ after }) => after)) {
        if (isTerminal(next) || next.delivery !== 'sending') continue;
        if (next.position === next.legs.length) {
          // Behind the last leg a message in doubt has its time, of which its carrier's late answer takes nothing.
          expect(next.legEndsAt).not.toBeNull();
          expect(next.timeline.some(({ kind, run }) => kind === 'message_unknown' && run === next.run)).toBe(true);
          continue;
        }
        const current = next.messages.filter((each) => isCurrentLeg(next, each));
        expect(current).toHaveLength(1);
        expect(isDelivered(current[0]!.status)).toBe(false);
      }
    });
  });

  it('events are numbered one after another', () => {
    always(({ session, all }) => {
      const numbers = all.flatMap((effect) => (effect.kind === 'emit' ? [effect.sequence] : []));
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(session.eventSequence).toBe(numbers.length);
    });
  });

  it('the timeline is only added to, the version is left to who saves', () => {
    always((_, seen) => {
      for (const { before, after } of seen) {
        expect(after.next.timeline.slice(0, before.timeline.length)).toEqual(before.timeline);
        expect(after.next.version).toBe(before.version);
      }
    });
  });

  it('the next state is the very same object exactly when nothing changed and nothing is to be done', () => {
    always((_, seen) => {
      for (const { before, after } of seen) {
        if (after.next === before) expect(after.effects).toEqual([]);
        else if (after.effects.length === 0) expect(JSON.stringify(after.next)).not.toBe(JSON.stringify(before));
      }
    });
  });

  it('messages that did not change are the very same objects: a save writes only the others', () => {
    always((_, seen) => {
      for (const { before, after } of seen) {
        before.messages.forEach((message, index) => {
          const next = after.next.messages[index];
          if (next !== message) expect(JSON.stringify(next)).not.toBe(JSON.stringify(message));
        });
      }
    });
  });

  it('a call is asked to stop in the very step from which on it is not wanted, and one that is wanted never', () => {
    always((_, seen) => {
      for (const { before, after } of seen) {
        const asked = after.effects.flatMap((effect) =>
          effect.kind === 'withdraw' ? [[effect.messageId, effect.why]] : [],
        );
        for (const message of after.next.messages) {
          const why = stopReasonOf(after.next, message);
          const had = before.messages.find(({ id }) => id === message.id);
          if (why !== null && why !== (had && stopReasonOf(before, had)))
            expect(asked).toContainEqual([message.id, why]);
          if (why === null && message.holder !== null) expect(asked.map(([id]) => id)).not.toContain(message.id);
        }
      }
    });
  });

  it('a call that is over has no process, and one that has a process is not sent again', () => {
    always((_, seen) => {
      for (const { before, event, after } of seen) {
        for (const { id, call, holder } of after.next.messages) {
          const had = before.messages.find((each) => each.id === id);
          if (call?.ended && !had?.call?.ended) expect(holder).toBeNull();
        }
        if (event.kind !== 'submitting' || after.outcome.kind !== 'done') continue;
        expect(before.messages.find(({ id }) => id === event.messageId)?.holder).toBeNull();
      }
    });
  });

  it('a message has a process while it is being written or its call is not over, and at no other time', () => {
    always((_, seen) => {
      for (const { after } of seen) {
        for (const { status, call, holder } of after.next.messages) {
          const isInHand = call ? !call.ended : status === 'submitting';
          if (!isInHand) expect(holder).toBeNull();
          if (isInHand && call === null) expect(holder).not.toBeNull();
        }
      }
    });
  });

  it('a session has one call at a time, and the call that waits for its end is sent in the step that brings it', () => {
    always((_, seen) => {
      for (const { before, after } of seen) {
        expect(after.next.messages.filter(isCallInHand).length).toBeLessThanOrEqual(1);
        if (!isCalling(before) || isCalling(after.next)) continue;
        const sent = after.effects.flatMap((effect) => (effect.kind === 'send' ? [effect.messageId] : []));
        for (const message of after.next.messages) {
          const waits = message.channel === 'voice' && message.status === 'queued' && isCurrentLeg(after.next, message);
          if (waits) expect(sent).toContain(message.id);
        }
        expect(new Set(sent).size).toBe(sent.length);
      }
    });
  });

  it('a message that was delivered stays delivered', () => {
    always((_, seen) => {
      for (const { before, after } of seen) {
        before.messages.forEach(({ status }, index) => {
          if (isDelivered(status)) expect(isDelivered(after.next.messages[index]!.status)).toBe(true);
        });
      }
    });
  });

  it('tries, sends and money only grow in number', () => {
    always(({ session }, seen) => {
      expect(session.attempts).toBeLessThanOrEqual(5);
      expect(session.sends).toBeLessThanOrEqual(5);
      for (const { before, after } of seen) {
        expect(after.next.attempts).toBeGreaterThanOrEqual(before.attempts);
        before.messages.forEach(({ cost }, index) => {
          const next = after.next.messages[index]!.cost;
          if (cost) expect(next?.revision).toBeGreaterThanOrEqual(cost.revision);
        });
      }
    });
  });

  it('the session survives being stored and read again', () => {
    always(({ session }) => {
      expect(JSON.parse(JSON.stringify(session))).toStrictEqual(session);
    });
  });
});
