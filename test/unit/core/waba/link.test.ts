// The link to a business's own account as a state machine: which step follows, when one is tried again, when it is given up.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterStep,
  followEveryMs,
  suspend,
  type WabaLink,
  type WabaOutcome,
  type WabaReason,
  type WabaTemplates,
  wabaSteps,
} from '../../../../src/core/waba/link.ts';

const start = 1_000_000;
const link = (change: Partial<WabaLink> = {}): WabaLink => ({
  status: 'connecting',
  step: 'exchange_code',
  reason: null,
  errorCode: null,
  attempts: 0,
  nextAt: start,
  stepSince: start,
  failingSince: null,
  createdAt: start,
  connectedAt: null,
  codeExpiresAt: start + 30_000,
  restrictedUntil: null,
  templates: {},
  ...change,
});
const approved = { ar: 'approved', fr: 'approved' } as const;
const again: WabaOutcome = { kind: 'again', code: 'ECONNREFUSED' };
const hour = 3_600_000;

describe('the steps', () => {
  it('follow each other at once, and end in connected', () => {
    let now = start;
    let state = link();
    const seen: (string | null)[] = [];
    while (state.status === 'connecting' && seen.length < 20) {
      seen.push(state.step);
      now += 100;
      state = afterStep(state, { kind: 'done', templates: approved }, now);
    }
    expect(seen).toEqual([...wabaSteps]);
    expect(state).toMatchObject({ status: 'connected', step: null, connectedAt: now, nextAt: now + followEveryMs });
  });

  it('stay where they are while there is more to do, which counts as no failure', () => {
    const state = link({ step: 'create_templates', attempts: 3, reason: 'platform_unavailable' });
    const next = afterStep(state, { kind: 'more', templates: { ar: 'pending' } }, start);
    expect(next).toMatchObject({ step: 'create_templates', attempts: 0, reason: null, nextAt: start });
    expect(next.templates).toEqual({ ar: 'pending' });
  });

  it('end where they are refused, with the reason', () => {
    const next = afterStep(
      link({ step: 'register' }),
      { kind: 'refused', reason: 'pin_refused', code: '133005' },
      start,
    );
    expect(next).toMatchObject({ status: 'broken', step: 'register', reason: 'pin_refused', errorCode: '133005' });
    expect(next.nextAt).toBeNull();
  });
});

describe('a step without an answer', () => {
  it('is tried again after 1, 2, 4 … s, at most every 5 minutes, for a day', () => {
    let state = link({ step: 'subscribe', codeExpiresAt: null });
    const pauses: number[] = [];
    let now = start;
    while (state.status === 'connecting' && pauses.length < 1000) {
      const next = afterStep(state, again, now);
      if (next.nextAt !== null) pauses.push(next.nextAt - now);
      now = next.nextAt ?? now;
      state = next;
    }
    expect(pauses.slice(0, 10)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((s) => s * 1000));
    expect(Math.max(...pauses)).toBe(300_000);
    expect(state).toMatchObject({ status: 'broken', reason: 'platform_unavailable', errorCode: 'ECONNREFUSED' });
    expect(now - start).toBeGreaterThanOrEqual(24 * hour);
    expect(now - start).toBeLessThan(24 * hour + 600_000);
  });

  it('is given up when it has the code to exchange and the code is dead', () => {
    let state = link();
    let now = start;
    let tries = 0;
    while (state.status === 'connecting' && tries < 100) {
      tries += 1;
      state = afterStep(state, again, now);
      now = state.nextAt ?? now;
    }
    expect(state).toMatchObject({ status: 'broken', reason: 'code_expired' });
    expect(tries).toBe(30);
    expect(now).toBeLessThan(start + 30_000);
  });
});

describe('the time that a link has', () => {
  const lost: WabaOutcome = { kind: 'again', code: 'timeout' };

  it('is a day without any answer: one that is lost in the second day of a review breaks nothing', () => {
    const looking = link({ step: 'await_approval', attempts: 9, templates: { ar: 'pending' } });
    const once = afterStep(looking, lost, start + 25 * hour);
    expect(once).toMatchObject({ status: 'connecting', reason: 'platform_unavailable' });
    const back = afterStep(once, { kind: 'done', templates: { ar: 'pending' } }, start + 26 * hour);
    const twice = afterStep(back, lost, start + 50 * hour);
    expect(twice).toMatchObject({ status: 'connecting', failingSince: start + 50 * hour });
    expect(afterStep(twice, lost, start + 74 * hour - 1).status).toBe('connecting');
    expect(afterStep(twice, lost, start + 74 * hour)).toMatchObject({
      status: 'broken',
      reason: 'platform_unavailable',
    });
  });

  it('begins anew with a step: a number that is verified late leaves the steps behind it theirs', () => {
    const at = start + 71 * hour;
    const waited = link({ step: 'verify_number', attempts: 900, reason: 'number_unverified' });
    const registering = afterStep(waited, { kind: 'done' }, at);
    expect(afterStep(registering, lost, at)).toMatchObject({ status: 'connecting', step: 'register' });
    const creating = link({ step: 'create_templates', stepSince: at });
    const reviewed = afterStep(creating, { kind: 'done', templates: { ar: 'pending' } }, at);
    const look = (now: number) => afterStep(reviewed, { kind: 'done', templates: { ar: 'pending' } }, now);
    expect(look(at + 72 * hour - 1)).toMatchObject({ status: 'connecting', step: 'await_approval' });
    expect(look(at + 72 * hour)).toMatchObject({ status: 'broken', reason: 'approval_timeout' });
  });

  it('is counted from the link’s beginning where a release before, or a link before, has left the times', () => {
    const review: WabaOutcome = { kind: 'done', templates: { ar: 'pending' } };
    for (const stepSince of [null, start - 100 * hour])
      expect(afterStep(link({ step: 'await_approval', stepSince }), review, start + 71 * hour).status).toBe(
        'connecting',
      );
    const old = link({ step: 'subscribe', reason: 'platform_unavailable', failingSince: start - 100 * hour });
    expect(afterStep(old, lost, start)).toMatchObject({ status: 'connecting', failingSince: start });
  });
});

describe('the review', () => {
  const review = (templates: WabaTemplates, now = start, change: Partial<WabaLink> = {}) =>
    afterStep(link({ step: 'await_approval', ...change }), { kind: 'done', templates }, now);

  it.each([
    [{ ar: 'pending', fr: 'approved' }, 'connecting', null],
    [{ ar: 'rejected', fr: 'approved' }, 'connected', null],
    [{ ar: 'rejected', fr: 'paused' }, 'broken', 'templates_rejected'],
    [{}, 'broken', 'templates_rejected'],
  ] as [WabaTemplates, string, string | null][])('%j: %s', (templates, status, reason) => {
    expect(review(templates)).toMatchObject({ status, reason, templates });
  });

  it('is waited for three days; what is approved by then is used', () => {
    const late = start + 72 * hour;
    expect(review({ ar: 'pending' }, late - 1).status).toBe('connecting');
    expect(review({ ar: 'pending' }, late)).toMatchObject({ status: 'broken', reason: 'approval_timeout' });
    expect(review({ ar: 'pending', fr: 'approved' }, late).status).toBe('connected');
  });

  it('is asked for ever more rarely, down to every quarter of an hour', () => {
    const pauseAfter = (attempts: number) => (review({ ar: 'pending' }, start, { attempts }).nextAt ?? 0) - start;
    expect([0, 1, 2, 20].map(pauseAfter)).toEqual([2_000, 4_000, 8_000, 900_000]);
  });
});

describe('a connected account', () => {
  const connected = link({ status: 'connected', step: null, connectedAt: start, templates: approved });

  it('is looked at once a day, more often while a template is under review', () => {
    const look = (templates: WabaTemplates) => afterStep(connected, { kind: 'done', templates }, start).nextAt;
    expect(look(approved)).toBe(start + 24 * hour);
    expect(look({ ar: 'pending', fr: 'approved' })).toBe(start + 300_000);
  });

  it.each([
    ['token_refused', 'broken', 'token_revoked'],
    ['permission_missing', 'suspended', 'permission_missing'],
    ['number_not_found', 'broken', 'number_not_found'],
    ['account_disabled', 'suspended', 'account_disabled'],
    ['secret_lost', 'broken', 'secret_lost'],
    ['refused', 'connected', null],
  ] as [WabaReason, string, string | null][])('refused with %s it is %s', (reason, status, after) => {
    const next = afterStep(connected, { kind: 'refused', reason, code: '190' }, start);
    expect(next).toMatchObject({ status, reason: after, connectedAt: start });
  });

  it('is not given up because the platform is away', () => {
    expect(afterStep(connected, again, start + 100 * hour)).toMatchObject({ status: 'connected', reason: null });
  });
});

describe('a suspended account', () => {
  const connected = link({ status: 'connected', step: null, connectedAt: start, templates: approved });
  const stoppedAt = start + 100 * hour;
  const minute = 60_000;
  const blocked: WabaOutcome = { kind: 'waiting', reason: 'refused' };
  const pauseAfter = (state: WabaLink, now: number) => (afterStep(state, blocked, now).nextAt ?? 0) - now;

  it('is looked at after 15 minutes, then 30, 60, … , then daily', () => {
    let state = suspend(connected, 'account_disabled', null, stoppedAt);
    const looks: number[] = [];
    while (looks.length < 10) {
      const now = state.nextAt ?? 0;
      looks.push((now - stoppedAt) / minute);
      state = afterStep(state, blocked, now);
    }
    expect(looks).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 1_920 + 1_440, 1_920 + 2 * 1_440]);
  });

  it('is looked at no later for answers that the platform did not give, nor for looks between', () => {
    let state = suspend(connected, 'account_disabled', null, stoppedAt);
    let now = stoppedAt;
    for (let lost = 0; lost < 7; lost += 1) {
      state = afterStep(state, again, now);
      now = state.nextAt ?? now;
    }
    expect(pauseAfter(state, now)).toBe(15 * minute);
    for (let hastened = 0; hastened < 7; hastened += 1) state = afterStep(state, blocked, now);
    expect(pauseAfter(state, now)).toBe(15 * minute);
  });

  it('that came back is looked at as often when it is suspended anew', () => {
    const before = suspend(connected, 'account_disabled', null, stoppedAt);
    const back = afterStep(before, { kind: 'done', templates: approved }, stoppedAt + 50 * hour);
    const refused: WabaOutcome = { kind: 'refused', reason: 'account_disabled', code: '368' };
    const anew = afterStep(back, refused, stoppedAt + 90 * hour);
    expect(pauseAfter(anew, anew.nextAt ?? 0)).toBe(15 * minute);
  });

  it('is looked at as often where a look is refused for another reason', () => {
    const state = suspend(connected, 'account_restricted', null, stoppedAt);
    const next = afterStep(state, { kind: 'refused', reason: 'refused', code: '100' }, stoppedAt + 15 * minute);
    expect(next).toMatchObject({ status: 'suspended', nextAt: stoppedAt + 30 * minute });
  });

  it.each([null, start - hour])('of a release before, which kept %s, begins at its next look', (stepSince) => {
    const old = link({ ...connected, status: 'suspended', stepSince, attempts: 9 });
    const looked = afterStep(old, blocked, stoppedAt);
    expect((looked.nextAt ?? 0) - stoppedAt).toBe(15 * minute);
    expect(pauseAfter(looked, stoppedAt + 40 * minute)).toBe(40 * minute);
  });
});

const outcomes = fc.oneof(
  fc.constant<WabaOutcome>(again),
  fc.constant<WabaOutcome>({ kind: 'done', templates: approved }),
  fc.constant<WabaOutcome>({ kind: 'done', templates: { ar: 'pending' } }),
  fc.constant<WabaOutcome>({ kind: 'more' }),
  fc.constantFrom<WabaReason>('token_refused', 'refused').map(
    (reason): WabaOutcome => ({
      kind: 'refused',
      reason,
      code: null,
    }),
  ),
);

it('a connected link whose token is refused is broken at no step', () => {
  const connected = link({ status: 'connected', step: null, connectedAt: start, templates: approved });
  const next = afterStep(connected, { kind: 'refused', reason: 'token_refused', code: null }, start);
  expect(next).toMatchObject({ status: 'broken', step: null });
});

it('whatever comes: what goes on has a time, what is over has none, and nothing comes back by itself', () => {
  const steps = fc.array(fc.tuple(outcomes, fc.integer({ min: 0, max: 100 * hour })), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (history) => {
      let state = link();
      let now = start;
      for (const [outcome, ms] of history) {
        now += ms;
        const next = afterStep(state, outcome, now);
        const isOver = next.status === 'broken' || next.status === 'disconnected';
        expect(next.nextAt === null).toBe(isOver);
        if (next.nextAt !== null && next !== state) expect(next.nextAt).toBeGreaterThanOrEqual(now);
        if (state.status === 'broken') expect(next).toBe(state);
        // A link that was connected and is broken later failed at no step.
        expect(next.step === null).toBe(next.status === 'connected' || (isOver && state.step === null));
        expect(next.status === 'connected' && next.connectedAt === null).toBe(false);
        state = next;
      }
    }),
  );
});
