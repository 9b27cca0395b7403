import { array, assert, constantFrom, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Finding,
  type GuardRule,
  guardRules,
  inOrder,
  modesOf,
  type RuleModes,
  ruleModes,
  verdictOf,
} from '../../../../src/core/limits/verdict.ts';

const all = (mode: RuleModes[GuardRule]) => Object.fromEntries(guardRules.map((rule) => [rule, mode])) as RuleModes;
const finding = (rule: GuardRule, reason = 'x'): Finding => ({ rule, reason });

it('lets a send pass that no rule objects to', () => {
  expect(verdictOf([], all('enforce'))).toEqual({ refusal: null, monitored: [] });
});

it('refuses by the first rule in the order of the rules, whatever the order of the findings', () => {
  const found = [finding('budget'), finding('sequential_numbers'), finding('client_limit')];
  expect(verdictOf(found, all('enforce'))).toEqual({ refusal: finding('client_limit'), monitored: [] });
});

it('puts first of one rule what lasts longest, before all what only a change of settings ends', () => {
  const [soon, late, never] = [
    { ...finding('key_restriction', 'soon'), retryAfterMs: 1_000 },
    { ...finding('key_restriction', 'late'), retryAfterMs: 2_000 },
    finding('key_restriction', 'never'),
  ];
  const client = { ...finding('client_limit'), retryAfterMs: 9_000 };
  expect(inOrder([client, soon, late])).toEqual([late, soon, client]);
  expect(inOrder([soon, never, late])).toEqual([never, late, soon]);
  expect(verdictOf([client, soon, late], all('enforce')).refusal).toEqual(late);
});

it('refuses by a block list only where nothing else refuses', () => {
  const found = [finding('block_list'), finding('sequential_numbers')];
  expect(verdictOf(found, all('enforce')).refusal).toEqual(finding('sequential_numbers'));
  const monitored = { ...all('enforce'), sequential_numbers: 'monitor' } as const;
  expect(verdictOf(found, monitored).refusal).toEqual(finding('block_list'));
});

it('notes what a monitored rule has found, and says nothing of one that is off', () => {
  const modes = { ...all('off'), budget: 'monitor', client_limit: 'monitor' } as const;
  const found = [finding('budget'), finding('block_list'), finding('client_limit')];
  const monitored = [finding('client_limit'), finding('budget')];
  expect(verdictOf(found, modes)).toEqual({ refusal: null, monitored });
  expect(verdictOf(found, { ...modes, block_list: 'enforce' })).toEqual({ refusal: finding('block_list'), monitored });
});

it('takes the modes of an account in place of those of the deployment', () => {
  expect(modesOf(all('enforce'), { budget: 'off' })).toEqual({ ...all('enforce'), budget: 'off' });
});

const findings = array(record({ rule: constantFrom(...guardRules), reason: string() }));
const mode = constantFrom(...ruleModes);
const anyModes = array(mode, { minLength: guardRules.length, maxLength: guardRules.length }).map(
  (modes) => Object.fromEntries(guardRules.map((rule, n) => [rule, modes[n]])) as RuleModes,
);

it('refuses exactly where an enforced rule has found something, and never drops or invents a finding', () => {
  assert(
    property(findings, anyModes, (found, modes) => {
      const { refusal, monitored } = verdictOf(found, modes);
      const enforced = found.filter(({ rule }) => modes[rule] === 'enforce');
      expect(refusal !== null).toBe(enforced.length > 0);
      if (refusal) expect(enforced).toContain(refusal);
      expect(new Set(monitored)).toEqual(new Set(found.filter(({ rule }) => modes[rule] === 'monitor')));
    }),
  );
});
