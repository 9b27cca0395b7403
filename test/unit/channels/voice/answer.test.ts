// What each final answer to an INVITE means.
import { expect, it } from 'vitest';
import { isOfTheTrunk, pauseAfter, stateOfRefusal } from '../../../../src/channels/voice/answer.ts';

it.each([
  [486, 'busy', 'busy'],
  [600, 'busy', 'busy'],
  [480, 'no_answer', 'no_answer'],
  [408, 'no_answer', 'no_answer'],
  [487, 'no_answer', 'no_answer'],
  [603, 'rejected', 'rejected'],
  [607, 'rejected', 'rejected'],
  [403, 'unreachable', 'rejected'],
  [404, 'unreachable', 'rejected'],
  [410, 'unreachable', 'rejected'],
  [484, 'unreachable', 'rejected'],
  [604, 'unreachable', 'rejected'],
  [503, 'unreachable', 'rejected'],
  [302, 'unreachable', 'rejected'],
] as const)('%i is %s before it rang, and %s afterwards', (status, before, after) => {
  expect(stateOfRefusal(status, false)).toBe(before);
  expect(stateOfRefusal(status, true)).toBe(after);
});

it('sees the trunk’s own reasons, for which another trunk is tried', () => {
  const statuses = Array.from({ length: 400 }, (_, index) => 300 + index);
  const reasons = statuses.filter((status) => isOfTheTrunk(status, null));
  const serverErrors = Array.from({ length: 100 }, (_, index) => 500 + index);
  expect(reasons).toEqual([401, 402, 403, 407, 415, 488, ...serverErrors]);
  // No circuit, and calls that the trunk bars: still its own.
  for (const cause of [16, 18, 21, 34, 38]) expect(isOfTheTrunk(503, cause)).toBe(true);
  for (const cause of [17, 19]) expect(statuses.filter((status) => isOfTheTrunk(status, cause))).toEqual([]);
});

it('leaves a trunk alone for as long as it asks with a 503, ten minutes at most', () => {
  expect(pauseAfter(503, 30)).toBe(30_000);
  expect(pauseAfter(503, null)).toBe(0);
  expect(pauseAfter(503, 86_400)).toBe(600_000);
  expect(pauseAfter(486, 30)).toBe(0);
});
