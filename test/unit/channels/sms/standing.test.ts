import { expect, test } from 'vitest';
import { Standing } from '../../../../src/channels/sms/standing.ts';

const settings = {
  enabled: true,
  maintenance: [{ from: '1970-01-01T00:16:40Z', to: '1970-01-01T01:33:20+01:00' }],
  downAfterSeconds: 5,
};
const up = { up: true, refused: false };
const lost = { up: false, refused: false };

test('a bind that is lost has five seconds to come back', () => {
  const standing = new Standing(0);
  standing.seeBinds(up, 100);
  standing.seeBinds(lost, 60_000);
  expect([64_999, 65_000].map((now) => standing.skips(settings, now))).toEqual([null, 'operator_down']);
  standing.seeBinds(up, 70_000);
  expect(standing.skips(settings, 90_000)).toBeNull();
});

test('a try that fails does not begin the five seconds again', () => {
  const standing = new Standing(0);
  for (let now = 0; now < 5_000; now += 1_000) standing.seeBinds(lost, now);
  expect(standing.skips(settings, 5_000)).toBe('operator_down');
});

test('a bind of another process is as good', () => {
  const standing = new Standing(0);
  standing.seeElsewhere(true, 800);
  expect(standing.skips(settings, 100_000)).toBeNull();
  standing.seeElsewhere(false, 100_800);
  expect([105_799, 105_800].map((now) => standing.skips(settings, now))).toEqual([null, 'operator_down']);
});

test('refused credentials pass with no time, unless another process is bound', () => {
  const standing = new Standing(0);
  standing.seeBinds({ up: false, refused: true }, 10);
  expect(standing.skips(settings, 10)).toBe('operator_down');
  standing.seeElsewhere(true, 11);
  expect(standing.skips(settings, 12)).toBeNull();
});

test('switched off, and within a maintenance window, whatever the binds are', () => {
  const standing = new Standing(0);
  standing.seeBinds(up, 0);
  expect(standing.skips({ ...settings, enabled: false }, 1)).toBe('operator_maintenance');
  const at = (now: number) => standing.skips(settings, now);
  expect([999_999, 1_000_000, 1_999_999, 2_000_000].map(at)).toEqual([
    null,
    'operator_maintenance',
    'operator_maintenance',
    null,
  ]);
});

test('a clock that was set back does not keep it alive', () => {
  const standing = new Standing(0);
  standing.seeBinds(up, 100_000);
  standing.seeBinds(lost, 100_000);
  expect(standing.isDown(settings, 1_000)).toBe(false);
  expect(standing.isDown(settings, 6_000)).toBe(true);
});
