import { describe, expect, it } from 'vitest';
import { parsePhone } from '../../../../src/core/phone.ts';
import {
  defaultScenario,
  scenarioNames,
  scenarioNumbers,
  scenarioOf,
  scenarios,
} from '../../../../src/core/verify/scenarios.ts';

const prefix = '+21355';
const named = (name: string) => {
  const scenario = scenarios.find((row) => row.name === name);
  if (!scenario) throw new Error(`no scenario ${name}`);
  return scenario;
};

describe('scenario numbers', () => {
  it('are the prefix, five zeros and the row', () => {
    const numbers = scenarioNumbers(prefix);
    expect(Object.keys(numbers)).toEqual([...scenarioNames]);
    expect(numbers.sms_delivered).toBe('+213550000001');
    expect(numbers.voice_hangs_up).toBe('+213550000011');
    expect(numbers.voice_rejected).toBe('+213550000013');
  });

  it('lead back to their scenario, and are valid numbers', () => {
    for (const [name, number] of Object.entries(scenarioNumbers(prefix))) {
      expect(scenarioOf(number, prefix)?.name).toBe(name);
      expect(parsePhone(number).kind).toBe('ok');
    }
  });

  it.each(['+213550000000', '+213550000014', '+213660000001', '+2135500000011', '+213550000100', ''])(
    'do not include %j',
    (number) => {
      expect(scenarioOf(number, prefix)).toBeUndefined();
    },
  );

  it('have a default for every other number, with a delay one can see', () => {
    expect(defaultScenario).toEqual(named('sms_delivered'));
    expect(defaultScenario.sms).toMatchObject({ receipt: { status: 'DELIVRD', when: 'at_once', delayMs: 40 } });
  });
});

describe('each row', () => {
  const smsArrivesInTime = ['sms_delivered', 'sms_throttled', 'sms_early_receipt'];
  it.each(scenarios.map((row) => [row.name, row] as const))(
    '%s does what its name says',
    (name, { sms, app, voice }) => {
      const receipt = sms.answer === 'reject' ? 'none' : sms.receipt;
      const inTime = receipt !== 'none' && receipt.status === 'DELIVRD' && receipt.when !== 'after_timeout';
      expect(inTime).toBe(smsArrivesInTime.includes(name));
      // A row about SMS ends with the app at the latest; a row about calls has everything before the call silent.
      expect(app.answer === 'accept' && app.status === 'delivered').toBe(name.startsWith('sms_'));
      if (name.startsWith('voice_'))
        expect({ sms, app }).toEqual({ sms: named('voice_busy').sms, app: named('voice_busy').app });
      expect(voice.call === 'answered' && voice.callee === 'presses_key').toBe(!name.startsWith('voice_'));
    },
  );

  it('says the particulars', () => {
    expect(named('sms_late').sms).toMatchObject({ receipt: { when: 'after_timeout', status: 'DELIVRD' } });
    expect(named('sms_silent').sms).toEqual({ answer: 'accept', receipt: 'none' });
    expect(named('sms_rejected').sms).toEqual({ answer: 'reject' });
    expect(named('sms_undelivered').sms).toMatchObject({ receipt: { status: 'UNDELIV' } });
    expect(named('sms_throttled').sms.answer).toBe('throttle_then_accept');
    expect(named('sms_early_receipt').sms).toMatchObject({ receipt: { when: 'before_answer' } });
    expect(named('app_unreachable').app).toEqual({ answer: 'reject', reason: 'not_on_app' });
    expect(named('voice_no_answer').voice).toEqual({ call: 'no_answer' });
    expect(named('voice_hangs_up').voice).toMatchObject({ call: 'answered', callee: 'hangs_up' });
  });

  it('that is late is later than a leg waits by default', () => {
    const { sms } = named('sms_late');
    expect(sms.answer !== 'reject' && sms.receipt !== 'none' && sms.receipt.delayMs).toBeGreaterThan(15_000);
  });
});
