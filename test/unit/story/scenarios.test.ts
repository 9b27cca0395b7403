// The stories of real sessions (scripts/record-stories.ts): what a reader is shown of each lane, and why the cascade moved.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scenarioNames } from '../../../src/core/verify/scenarios.ts';
import { messageReasonValues, skipReasonValues } from '../../../src/gen/values.ts';
import { givenReason, inEnglish } from '../../../src/story/reasons.ts';
import { type Story, type StorySession, storyOf } from '../../../src/story/story.ts';

const folder = join(import.meta.dirname, '../../support/stories');
const names = readdirSync(folder).map((file) => file.replace('.json', ''));
const sessionOf = (name: string): StorySession => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
const openedMs = (session: StorySession) => Date.parse(session.created_at ?? '');

/** Each lane in a line, and the marks of the session; times are left out, as they differ from one recording to the next. */
function lines({ lanes, marks }: Story): string[] {
  const drawn = lanes.map(({ id, channel, operator, outcome, reason, marks, moved, isCallUp }) => {
    const words = marks.map(({ kind, word }) => (word ? `${kind}:${word}` : kind)).join(' ');
    const next = moved ? ` → ${moved.to ?? 'nothing'} because ${moved.reason}` : '';
    const where = [channel, operator].filter(Boolean).join('/');
    return `${id} ${where} ${outcome}${isCallUp ? ' (call up)' : ''}: ${reason} [${words}]${next}`;
  });
  return [...drawn, marks.map(({ kind }) => kind).join(' ')];
}

it.each([...skipReasonValues, ...messageReasonValues])('%s is told in a sentence', (reason) => {
  const why = givenReason({ reason }, 'atlas');
  expect(why.code).toBe(reason);
  expect(inEnglish(why)).not.toContain('_');
});

it.each([
  ['operator_down', 'atlas can not be reached now'],
  ['operator_maintenance', 'atlas is switched off for now'],
  ['sender_id_not_approved', 'the sender name is not approved at atlas'],
])('a leg that is skipped for %s names its operator', (reason, sentence) => {
  expect(inEnglish(givenReason({ reason, detail: 'atlas' }, 'the operator'))).toBe(sentence);
});

it('every scenario was recorded', () => {
  expect(names).toEqual(expect.arrayContaining([...scenarioNames]));
});

it.each(names)('%s', (name) => {
  const session = sessionOf(name);
  expect(lines(storyOf(session, openedMs(session)))).toMatchSnapshot();
});

it('a session under way moves with the time, and shows what is ahead', () => {
  const session = sessionOf('under_way');
  const [early, late] = [1_000, 4_000].map((ms) => storyOf(session, openedMs(session) + ms)) as [Story, Story];
  expect(early).toMatchObject({ isMoving: true, isOver: false });
  expect(late.endMs - early.endMs).toBe(3_000);
  expect(early.ahead).toEqual([
    { channel: 'whatsapp', timeoutMs: 5_000 },
    { channel: 'voice', timeoutMs: 5_000 },
  ]);
  const [lane] = early.lanes;
  expect((lane?.timeoutAtMs ?? 0) - (lane?.startMs ?? 0)).toBe(5_000);
});

it('a call has its own times', () => {
  const { lanes } = storyOf(sessionOf('app_unreachable'), 0);
  const call = lanes.at(-1);
  const at = (word: string) => call?.marks.find((mark) => mark.word === word)?.atMs ?? Number.NaN;
  expect(at('answered')).toBeGreaterThan(at('ringing'));
  expect(at('heard')).toBeGreaterThan(at('answered') + 1_000);
  expect(at('over')).toBeGreaterThanOrEqual(at('heard'));
  expect(call?.endMs).toBe(at('heard'));
  expect(call?.marks.at(-1)?.call).toMatchObject({ ended: true, readings: expect.any(Number) });
});

it('a leg whose message waited for an operator that is down is over when it is skipped', () => {
  const created_at = '2026-11-22T12:00:00.000Z';
  const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * 1_000).toISOString();
  const sms = { run: 1, position: 0, channel: 'sms', message_id: 'msg_1' };
  const app = { run: 1, position: 1, channel: 'whatsapp', message_id: 'msg_2' };
  const session = {
    ...{ id: 'vrf_1', status: 'pending', created_at, expires_at: at(600) },
    cascade: [
      { channel: 'sms', timeout_seconds: 15 },
      { channel: 'whatsapp', timeout_seconds: 15 },
    ],
    messages: [
      { id: 'msg_1', run: 1, position: 0, channel: 'sms', operator: 'atlas', status: 'withdrawn' },
      { id: 'msg_2', run: 1, position: 1, channel: 'whatsapp', status: 'submitted' },
    ],
    timeline: [
      { at: at(0), kind: 'leg_started', ...sms },
      { at: at(5), kind: 'leg_skipped', ...sms, reason: 'operator_down', detail: 'atlas' },
      { at: at(5), kind: 'leg_started', ...app },
      { at: at(6), kind: 'message_submitted', ...app },
    ],
  } as unknown as StorySession;
  const { lanes } = storyOf(session, openedMs(session) + 7_000);
  expect(lanes).toMatchObject([
    {
      ...{ outcome: 'skipped', reason: 'atlas can not be reached now' },
      ...{ startMs: openedMs(session), endMs: openedMs(session) + 5_000, moved: { to: '1.1' } },
    },
    { outcome: 'under_way', endMs: null },
  ]);
  const unmade = { ...session, messages: session.messages?.slice(1) } as StorySession;
  expect(storyOf(unmade, openedMs(session) + 7_000).lanes[0]?.reason).toBe('atlas can not be reached now');
  const over = { ...session, delivery: 'exhausted', timeline: [...(session.timeline ?? []).slice(0, 2)] };
  expect(storyOf(over as StorySession, openedMs(session) + 7_000).lanes).toMatchObject([
    { outcome: 'skipped', endMs: expect.any(Number) },
  ]);
});
