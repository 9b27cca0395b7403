import { expect, test } from 'vitest';
import { SmsChannel } from '../../../../src/channels/sms/sms.ts';
import { Standing } from '../../../../src/channels/sms/standing.ts';
import { operatorConfig } from '../../../peers/support/channel.ts';

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

/** One that is up, and puts messages off: to one destination a second, of so many in turn. */
function puttingOff(destinations: number, from: number, to: number, standing = new Standing(0)): Standing {
  standing.seeBinds(up, from);
  for (let now = from; now <= to; now += 1_000) standing.seePutOff(`+${(now / 1_000) % destinations}`, now);
  return standing;
}
const skips = (standing: Standing, ...times: number[]) => times.map((now) => standing.skips(settings, now));

test('one that puts everything off for ten seconds is down for thirty, whatever its binds are', () => {
  expect(skips(puttingOff(3, 0, 9_000), 9_000)).toEqual([null]);
  expect(skips(puttingOff(3, 0, 10_000), 10_000, 39_999, 40_000)).toEqual(['operator_down', 'operator_down', null]);
});

test('then as many destinations are enough for the next thirty seconds, without the ten', () => {
  const standing = puttingOff(3, 41_000, 42_000, puttingOff(3, 0, 10_000));
  expect(skips(standing, 42_000)).toEqual([null]);
  standing.seePutOff('+9', 42_500);
  expect(skips(standing, 42_500, 72_499, 72_500)).toEqual(['operator_down', 'operator_down', null]);
  expect(standing.hasRested).toBe(true);
});

test('a message that is accepted ends it, and the count', () => {
  const standing = puttingOff(3, 0, 10_000);
  standing.seeAccepted();
  expect([standing.hasRested, ...skips(standing, 11_000)]).toEqual([false, null]);
  expect(skips(puttingOff(3, 11_000, 20_000, standing), 20_000)).toEqual([null]);
  expect(skips(puttingOff(3, 21_000, 21_000, standing), 21_000)).toEqual(['operator_down']);
});

test('the full queue of one phone, or of two, says nothing of the operator', () => {
  expect(skips(puttingOff(2, 0, 600_000), 600_000)).toEqual([null]);
});

test('nor do refusals between which nothing was sent', () => {
  const standing = new Standing(0);
  standing.seeBinds(up, 0);
  for (let n = 0; n < 5; n += 1) standing.seePutOff(`+${n}`, n * 30_001);
  expect(skips(standing, 120_004)).toEqual([null]);
});

test('a clock that was set back ends the thirty seconds', () => {
  const standing = puttingOff(3, 3_600_000, 3_610_000);
  expect(skips(standing, 3_610_000, 0)).toEqual(['operator_down', null]);
  standing.seePutOff('+1', 0);
  expect(skips(standing, 0)).toEqual([null]);
  expect(skips(puttingOff(3, 1_000, 10_000, standing), 10_000)).toEqual(['operator_down']);
});

test('nor does it count for a process that has no binds of it any more', () => {
  const standing = puttingOff(3, 0, 10_000);
  standing.forgetAnswers();
  expect([standing.hasRested, ...skips(standing, 11_000)]).toEqual([false, null]);
});

test('an operator without a bind counts as down, but not in its maintenance, nor while it is paused or switched off', () => {
  let now = 0;
  const binds = [{ host: '127.0.0.1', port: 2775, system_id: 'ramz', password: 'secret08' }];
  const { maintenance } = settings;
  const nothing = async () => {};
  const sms = new SmsChannel({
    operators: [
      operatorConfig({ id: 'alpha', binds }),
      operatorConfig({ id: 'beta', binds, prefixes: ['+21366'], maintenance }),
      operatorConfig({ id: 'gamma', binds, prefixes: ['+21377'], enabled: false }),
    ],
    service: () => ({ brand: 'Ramz', defaultSenderId: 'Ramz' }),
    intake: { take: nothing, takeUnreadable: nothing, takeLateAnswer: nothing, takeAnswered: nothing },
    now: () => now,
    observer: () => ({}),
    onReport: () => {},
    onError: () => {},
  });
  const downsAt = (ms: number) => {
    now = ms;
    return sms.downs().flatMap(([operator, isDown]) => (isDown ? [operator] : []));
  };
  expect(downsAt(4_999)).toEqual([]);
  expect(downsAt(5_000)).toEqual(['alpha', 'beta']);
  expect(downsAt(1_000_000)).toEqual(['alpha']);
  expect(downsAt(2_000_000)).toEqual(['alpha', 'beta']);
  sms.setPaused(new Set(['alpha']));
  expect(downsAt(2_000_001)).toEqual(['beta']);
});
