// What holds in the story of every session: random ones that the state machine itself plays, at any moment of them.

import { toJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toSessionMessage } from '../../../src/api/handlers/verify/to-proto.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import { isDelivered, type Session, type StoredReceipt } from '../../../src/core/verify/session.ts';
import { SessionSchema } from '../../../src/gen/ramz/v1/session_pb.ts';
import { type Lane, storyOf, type Story as Told } from '../../../src/story/story.ts';
import { Story } from '../../support/session.ts';
import { beginnings, play, steps } from '../../support/session-steps.ts';

/** As a browser gets it. */
function jsonOf({ session, all }: Story): Parameters<typeof storyOf>[0] {
  const receipts = all.flatMap((effect): StoredReceipt[] => (effect.kind === 'receipt' ? [effect.receipt] : []));
  const message = toSessionMessage(session, receipts, defaultRules, session.lastSendAt);
  return toJson(SessionSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }) as never;
}

function always(look: (told: Told, session: Session, nowMs: number) => void): void {
  fc.assert(
    fc.property(beginnings, steps, fc.nat({ max: 90_000 }), (request, list, laterMs) => {
      const story = new Story({ request });
      play(story, list);
      const nowMs = story.clock + laterMs;
      look(storyOf(jsonOf(story), nowMs), story.session, nowMs);
    }),
    { numRuns: 1000 },
  );
}

const isSecond = ({ id }: Lane) => id.endsWith('.2');

const marksOf = ({ marks, lanes }: Told) => [...marks, ...lanes.flatMap((lane) => lane.marks)];

it('every entry of the timeline is one mark, at its time', () => {
  always((told, { timeline }) => {
    const shown = timeline.filter(({ reason }) => reason !== 'correct_code');
    const times = shown.map(({ at, kind, call }) => (kind === 'call_answered' ? (call?.answeredAt ?? at) : at));
    const sorted = (list: number[]) => [...list].sort((a, b) => a - b);
    expect(sorted(marksOf(told).map(({ atMs }) => atMs))).toEqual(sorted(times));
    expect(marksOf(told).filter(({ kind }) => kind === 'other')).toEqual([]);
  });
});

it('every leg is one lane, with its message', () => {
  always(({ lanes }, { messages, timeline }) => {
    const legs = timeline.filter(({ kind }) => ['leg_started', 'leg_skipped', 'in_doubt_resend'].includes(kind));
    const ids = legs.map(({ run, position }) => `${run}.${position}`);
    expect(lanes.map(({ id }) => id)).toEqual(ids.map((id, at) => (ids.indexOf(id) < at ? `${id}.2` : id)));
    const begun = lanes.filter(({ messageId }) => messageId);
    expect(begun.map(({ messageId, channel }) => [messageId, channel])).toEqual(
      messages.map(({ id, channel }) => [id, channel]),
    );
    for (const lane of lanes) expect(lane.outcome === 'skipped').toBe(lane.messageId === '');
  });
});

it('a lane is under way exactly while the state machine waits for it', () => {
  always((told, { status, delivery, position, run, legs, messages }) => {
    const waits = status === 'pending' && delivery === 'sending' && position < legs.length;
    const open = told.lanes.filter(({ endMs }) => endMs === null);
    const isAgain = messages.some((each) => each.run === run && each.attempt > 1);
    expect(open.map(({ id }) => id)).toEqual(waits ? [`${run}.${position}${isAgain ? '.2' : ''}`] : []);
    for (const lane of told.lanes) expect(lane.outcome === 'under_way').toBe(lane.endMs === null);
    expect(told.isOver).toBe(status !== 'pending');
    const ahead = isAgain ? [] : legs.slice(position + 1);
    if (waits && legs.length > 1)
      expect(told.ahead.map(({ channel }) => channel)).toEqual(ahead.map(({ channel }) => channel));
  });
});

it('a message that went out once more has a leg of its own, which times out', () => {
  const story = new Story({ request: { cascade: [{ channel: 'sms', timeoutMs: 15_000 }] } });
  const timeOut = () => {
    story.clock = story.session.nextAt ?? story.clock;
    story.do({ kind: 'deadline' });
  };
  const submit = () =>
    story.do({ kind: 'submitting', messageId: story.session.messages.at(-1)?.id ?? '', holder: 'prc_1' });
  submit();
  story.do({ kind: 'unknown', messageId: story.session.messages[0]?.id ?? '', reason: 'connection_lost' });
  timeOut();
  submit();
  timeOut();
  const { lanes, isOver } = storyOf(jsonOf(story), story.clock);
  const shown = lanes.map(({ id, outcome, why, marks }) => [id, outcome, why.code, ...marks.map(({ kind }) => kind)]);
  expect(shown).toEqual([
    ['1.0', 'timed_out', 'in_doubt', 'started', 'unknown', 'timed_out'],
    ['1.0.2', 'timed_out', 'not_taken', 'started', 'timed_out'],
  ]);
  expect(isOver).toBe(false);
});

it('a lane is delivered exactly where its message is', () => {
  always(({ lanes }, { messages }) => {
    const delivered = new Set(messages.filter(({ status }) => isDelivered(status)).map(({ id }) => id));
    for (const lane of lanes)
      expect([lane.id, lane.outcome === 'delivered']).toEqual([lane.id, delivered.has(lane.messageId)]);
  });
});

it('within a run each leg begins where the one before it was left, and says why', () => {
  always(({ lanes }) => {
    for (const lane of lanes) {
      expect(lane.reason).not.toBe('');
      expect(lane.reason).not.toMatch(/[{}]|undefined|null/);
      if (!lane.moved) continue;
      expect(lane.moved.reason).not.toBe('');
      const next = lanes.find(({ id }) => id === lane.moved?.to);
      if (lane.moved.to !== null) expect(next?.startMs).toBe(lane.moved.atMs);
      if (next && !isSecond(next)) expect([next.run, next.position]).toEqual([lane.run, lane.position + 1]);
    }
    const reached = new Set(lanes.flatMap(({ moved }) => moved?.to ?? []));
    // A message that goes out once more may do so after the run was exhausted, from no leg.
    for (const lane of lanes.filter((each) => !isSecond(each)))
      expect([lane.id, reached.has(lane.id)]).toEqual([lane.id, lane.position > 0]);
  });
});

it('everything is drawn between start and end, and no lane ends before it starts', () => {
  always((told, _, nowMs) => {
    const times = [
      ...marksOf(told).map(({ atMs }) => atMs),
      ...told.lanes.flatMap(({ startMs, endMs }: Lane) => [startMs, endMs ?? nowMs]),
    ];
    expect(Math.min(told.startMs, ...times)).toBe(told.startMs);
    expect(Math.max(told.endMs, ...times)).toBe(told.endMs);
    for (const { startMs, endMs, timeoutAtMs } of told.lanes) {
      expect(endMs ?? nowMs).toBeGreaterThanOrEqual(startMs);
      expect(timeoutAtMs ?? startMs).toBeGreaterThanOrEqual(startMs);
    }
    if (told.isMoving) expect(told.endMs).toBeGreaterThanOrEqual(nowMs);
  });
});

it('whatever words a newer service says, there is a story', () => {
  const word = fc.oneof(
    fc.constantFrom('', 'leg_started', 'receipt_received', 'message_failed', 'constructor', '__proto__'),
    fc.string(),
  );
  const entry = fc.record(
    {
      at: word,
      kind: word,
      run: fc.nat(3),
      position: fc.nat(3),
      channel: word,
      message_id: word,
      reason: word,
      detail: word,
    },
    { requiredKeys: ['kind'] },
  );
  fc.assert(
    fc.property(fc.array(entry), word, (timeline, status) => {
      const told = storyOf({ status, delivery: '', timeline }, 1_000);
      expect(marksOf(told).length).toBeLessThanOrEqual(timeline.length);
      expect(told.endMs).toBeGreaterThanOrEqual(told.startMs);
    }),
  );
});
