// What rules that are only watched have found of a send stands in the timeline of its session, behind the send it is about.
import { expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/limits/verdict.ts';
import { decodeTimeline, encodeTimeline } from '../../../../src/db/verify/timeline.ts';
import { Story } from '../../../support/session.ts';

const findings: Finding[] = [
  { rule: 'allowed_prefixes', reason: 'allowed_prefixes', field: 'to' },
  { rule: 'client_limit', reason: 'ip', field: 'client.ip', retryAfterMs: 1000 },
];
const entry = (at: number, run: number, rule: string, reason: string) => ({
  at,
  run,
  kind: 'fraud_guard',
  rule,
  reason,
});

it('opens the session with them', () => {
  const { timeline } = new Story({ request: { findings } }).session;
  expect(timeline.map(({ kind }) => kind)).toEqual(['session_opened', 'fraud_guard', 'fraud_guard', 'leg_started']);
  expect(timeline.slice(1, 3)).toEqual([
    entry(0, 1, 'allowed_prefixes', 'allowed_prefixes'),
    entry(0, 1, 'client_limit', 'ip'),
  ]);
});

it('notes them at a resend, and not where it is refused', () => {
  const story = new Story();
  const again = () => story.do({ kind: 'resend', channel: null, asked: {}, findings });
  expect(again()).toMatchObject({ kind: 'resend_too_soon' });
  expect(story.session.timeline.some(({ kind }) => kind === 'fraud_guard')).toBe(false);
  story.clock = 30_000;
  expect(again()).toEqual({ kind: 'resent' });
  const from = story.session.timeline.findIndex(({ kind }) => kind === 'resend_requested');
  expect(story.session.timeline.slice(from + 1, from + 3)).toEqual([
    entry(30_000, 2, 'allowed_prefixes', 'allowed_prefixes'),
    entry(30_000, 2, 'client_limit', 'ip'),
  ]);
});

it('keeps the rule as it is stored', () => {
  const { timeline } = new Story({ request: { findings } }).session;
  expect(decodeTimeline(JSON.parse(encodeTimeline(timeline)))).toEqual(timeline);
});
