// A call in its session: it rings, is answered, is heard and ends; each step holds or stops what it should.
import { describe, expect, it } from 'vitest';
import type { CallReport } from '../../../../src/core/verify/call.ts';
import type { Effect, Event } from '../../../../src/core/verify/event.ts';
import type { IncomingReceipt } from '../../../../src/core/verify/session.ts';
import { callReport, callTariff, Story, type StoryOptions, wholeCascade } from '../../../support/session.ts';

const [sms, app, voice] = wholeCascade;
const voiceOnly: StoryOptions = { request: { cascade: [voice!] } };
const smsThenVoice: StoryOptions = { request: { cascade: [sms!, voice!] } };
const voiceThenSms: StoryOptions = { request: { cascade: [voice!, sms!] } };

const up = { ringMs: 5_000, answeredAt: 5_000, sipCode: 200, keys: 1, readings: 1 };
/** The first reading is played to its end. */
const heard: Partial<IncomingReceipt> = {
  providerStatus: 'heard',
  detail: 'answered',
  errorCode: null,
  call: callReport({ ...up, state: 'heard' }),
};
const last = (call: Partial<CallReport>): Partial<IncomingReceipt> => ({
  providerStatus: call.state ?? null,
  errorCode: null,
  call: callReport({ ...up, ended: true, talkSeconds: 0, ...call }),
});

const stops = (story: Story): Effect[] => story.effects.filter(({ kind }) => kind === 'withdraw');
const stop = (messageId: string, why: string) => ({
  kind: 'withdraw',
  messageId,
  channel: 'voice',
  why,
  holder: 'prc_1',
});

describe('a call that rings', () => {
  it('shows it, names its process, and costs nothing yet', () => {
    const story = new Story(voiceOnly).ring();
    expect(story.last).toMatchObject({ status: 'submitted', holder: 'prc_1', call: { state: 'ringing' } });
    expect(story.last.cost).toMatchObject({ amount: '0.00', parts: 0, final: false, revision: 1 });
    expect(story.session.timeline.at(-1)).toMatchObject({ kind: 'message_submitted', detail: 'ringing' });
    expect(story.session.timeline.at(-1)?.call).toMatchObject({ state: 'ringing' });
  });

  it('not answered in time is stopped with its leg', () => {
    const story = new Story(voiceThenSms).ring();
    story.deadlineAt(45_000);
    expect(stops(story)).toEqual([stop('msg_1', 'leg_over')]);
    expect(story.statuses).toEqual(['voice submitted', 'sms queued']);
  });

  it('is stopped when another leg delivers, and by nothing that comes later', () => {
    const story = new Story(smsThenVoice).accept();
    story.deadlineAt(15_000);
    story.ring();
    story.receipt('DELIVRD', 'msg_1');
    expect(stops(story)).toEqual([stop('msg_2', 'delivered_elsewhere')]);
    story.receipt('UNDELIV', 'msg_2', last({ state: 'canceled', answeredAt: null, sipCode: 487 }));
    expect(story.last).toMatchObject({ status: 'undelivered', holder: null, call: { state: 'canceled' } });
    expect(story.last.cost).toMatchObject({ amount: '0.00', final: true });
    story.do({ kind: 'check', correct: true });
    expect(stops(story)).toEqual([]);
  });

  it.each<[string, Event]>([
    ['verified', { kind: 'check', correct: true }],
    ['canceled', { kind: 'cancel', reason: 'canceled_by_client' }],
  ])('is stopped when the session is %s', (status, event) => {
    const story = new Story(voiceOnly).ring();
    story.do(event);
    expect(story.session.status).toBe(status);
    expect(stops(story)).toEqual([stop('msg_1', 'session_over')]);
  });

  it('is stopped by the end of the session, and by its failure', () => {
    const expired = new Story({ request: { cascade: [{ ...voice!, timeoutMs: 900_000 }] } }).ring();
    expired.deadlineAt(600_000);
    expect(stops(expired)).toEqual([stop('msg_1', 'session_over')]);
    const failed = new Story(voiceOnly).ring();
    for (let n = 0; n < 5; n += 1) failed.do({ kind: 'check', correct: false });
    expect(failed.session.status).toBe('failed');
    expect(stops(failed)).toEqual([stop('msg_1', 'session_over')]);
  });

  it('is stopped by a resend', () => {
    const story = new Story(voiceOnly).ring();
    story.clock = 31_000;
    expect(story.resend('sms')).toEqual({ kind: 'resent' });
    expect(stops(story)).toEqual([stop('msg_1', 'leg_over')]);
  });

  it('is over before a resend calls again', () => {
    const story = new Story(voiceOnly).ring();
    story.clock = 31_000;
    expect(story.resend('voice')).toEqual({ kind: 'resent' });
    expect(stops(story)).toEqual([stop('msg_1', 'leg_over')]);
    const begin = () => story.do({ kind: 'submitting', messageId: 'msg_2', holder: 'prc_2' });
    expect(begin()).toMatchObject({ kind: 'ignored' });
    story.receipt('UNDELIV', 'msg_1', last({ state: 'canceled', answeredAt: null, sipCode: 487 }));
    expect(story.effects).toContainEqual({ kind: 'send', messageId: 'msg_2', route: 'voice/atlas' });
    expect(begin()).toEqual({ kind: 'done' });
    expect(story.statuses).toEqual(['voice undelivered', 'voice submitting']);
  });

  it('lets a resend call again where it was not placed after all, or its process died; by text at once', () => {
    const again = () => {
      const story = new Story(voiceOnly);
      story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
      story.clock = 31_000;
      story.resend('voice');
      return story;
    };
    const send = { kind: 'send', messageId: 'msg_2', route: 'voice/atlas' };
    for (const event of [
      { kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' },
      { kind: 'unknown', messageId: 'msg_1', reason: 'timeout' },
      { kind: 'holder_lost', messageId: 'msg_1', holder: 'prc_1' },
    ] satisfies Event[]) {
      const story = again();
      story.do(event);
      expect(story.effects.filter(({ kind }) => kind === 'send')).toEqual([send]);
    }
    const byText = new Story(voiceOnly).ring();
    byText.clock = 31_000;
    byText.resend('sms');
    expect(byText.do({ kind: 'submitting', messageId: 'msg_2', holder: 'prc_1' })).toEqual({ kind: 'done' });
  });

  it('and that rings only after it was stopped is stopped once more', () => {
    const story = new Story(voiceOnly);
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    story.do({ kind: 'check', correct: true });
    expect(stops(story)).toEqual([stop('msg_1', 'session_over')]);
    story.ring();
    expect(story.last).toMatchObject({ status: 'submitted', holder: 'prc_1' });
    expect(stops(story)).toEqual([stop('msg_1', 'session_over')]);
  });
});

describe('a call that waits for a channel', () => {
  const begin = (story: Story) => story.do({ kind: 'submitting', messageId: story.last.id, holder: 'prc_1' });

  it('begins while its leg has the time that a phone rings, and no later', () => {
    for (const [at, outcome] of [
      [16_999, { kind: 'done' }],
      [17_000, { kind: 'ignored', reason: 'leg is over' }],
    ] as const) {
      const story = new Story(voiceThenSms);
      story.clock = at;
      expect(begin(story)).toEqual(outcome);
    }
  });

  it('gives its leg up at that moment, is withdrawn, and the next leg starts', () => {
    const story = new Story(voiceThenSms);
    expect(story.session).toMatchObject({ legEndsAt: 45_000, nextAt: 17_000 });
    expect(story.deadlineAt(16_999)).toMatchObject({ kind: 'ignored' });
    story.deadlineAt(17_000);
    expect(story.statuses).toEqual(['voice withdrawn', 'sms queued']);
    expect(stops(story)).toEqual([{ ...stop('msg_1', 'leg_over'), holder: null }]);
    expect(story.kinds.slice(-3)).toEqual(['leg_timed_out', 'message_withdrawn', 'leg_started']);
    expect(story.session).toMatchObject({ legEndsAt: 32_000, nextAt: 32_000 });
  });

  it('has its whole leg once it has begun', () => {
    const story = new Story(voiceThenSms);
    story.clock = 16_000;
    story.ring();
    expect(story.session.nextAt).toBe(45_000);
    story.deadlineAt(44_999);
    expect(story.statuses).toEqual(['voice submitted']);
  });

  it('waits for a third of a leg that is short, or where phones ring for longer', () => {
    const short = new Story({ request: { cascade: [{ ...voice!, timeoutMs: 6_000 }] } });
    expect(short.session).toMatchObject({ legEndsAt: 6_000, nextAt: 2_000 });
    expect(new Story({ ...voiceOnly, rules: { ringMs: 120_000 } }).session.nextAt).toBe(15_000);
    expect(new Story({ ...voiceOnly, rules: { ringMs: 10_000 } }).session.nextAt).toBe(35_000);
  });

  it('gives it up at once where its deadline was stored by rules that let phones ring for less', () => {
    const rules = { ringMs: 0 };
    const story = new Story({ ...voiceThenSms, rules });
    expect(story.session.nextAt).toBe(45_000);
    rules.ringMs = 28_000;
    story.clock = 18_000;
    expect(begin(story)).toMatchObject({ kind: 'ignored' });
    expect(story.session.nextAt).toBe(17_000);
  });

  it('and was given back too late by its trunk gives its leg up', () => {
    const story = new Story(voiceThenSms);
    begin(story);
    story.clock = 20_000;
    story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' });
    expect(begin(story)).toMatchObject({ kind: 'ignored' });
    expect(story.session.nextAt).toBe(17_000);
    story.deadlineAt(20_000);
    expect(story.statuses).toEqual(['voice withdrawn', 'sms queued']);
  });
});

describe('a call that is answered', () => {
  /** Rings for 27 s. */
  const answered = (options: StoryOptions = voiceOnly): Story => {
    const story = new Story(options).ring();
    story.clock = 27_000;
    story.answer();
    return story;
  };

  it('holds its leg until it is heard: delivered, and never exhausted', () => {
    const story = answered();
    expect(story.session).toMatchObject({ legEndsAt: 147_000, nextAt: 147_000 });
    expect(story.session.timeline.at(-1)).toMatchObject({ kind: 'call_answered', call: { state: 'answered' } });
    story.deadlineAt(45_000);
    expect(story.session.delivery).toBe('sending');
    story.clock = 55_000; // The key was pressed at 40 s.
    story.receipt('DELIVRD', 'msg_1', heard);
    expect(story.session).toMatchObject({ delivery: 'delivered', legEndsAt: null, nextAt: 600_000 });
    story.deadlineAt(147_000);
    expect(story.told).toEqual(['message.submitted', 'receipt.updated']);
    expect(story.session.messages).toHaveLength(1);
  });

  it('ends its leg at 45 s where it was not answered', () => {
    const story = new Story(voiceOnly).ring();
    story.deadlineAt(45_000);
    expect(story.session.delivery).toBe('exhausted');
  });

  it('never ends its leg sooner, and holds no other leg', () => {
    const short = new Story(voiceOnly).ring();
    short.answer('msg_1', 10);
    expect(short.session.legEndsAt).toBe(45_000);
    const late = new Story(voiceThenSms).ring();
    late.deadlineAt(45_000);
    late.answer('msg_1');
    expect(late.session).toMatchObject({ legEndsAt: 60_000, position: 1 });
    expect(late.message('msg_1').call).toMatchObject({ state: 'answered' });
  });

  it('is answered once', () => {
    const story = answered();
    expect(story.answer('msg_1', 900_000)).toMatchObject({ kind: 'ignored' });
    expect(story.session.legEndsAt).toBe(147_000);
    story.receipt('UNDELIV', 'msg_1', last({ state: 'no_key', keys: 0, readings: 0, talkSeconds: 25 }));
    expect(story.answer('msg_1')).toMatchObject({ kind: 'ignored' });
  });

  it('goes on when another leg delivers, when its leg is over, and at a resend', () => {
    const elsewhere = new Story(smsThenVoice).accept();
    elsewhere.deadlineAt(15_000);
    elsewhere.ring();
    elsewhere.answer();
    elsewhere.receipt('DELIVRD', 'msg_1');
    expect(elsewhere.session.delivery).toBe('delivered');
    expect(stops(elsewhere)).toEqual([]);
    const over = answered(voiceThenSms);
    over.deadlineAt(147_000);
    expect(over.statuses).toEqual(['voice submitted', 'sms queued']);
    expect(stops(over)).toEqual([]);
    const resent = answered();
    resent.clock = 31_000;
    resent.resend('sms');
    expect(stops(resent)).toEqual([]);
  });

  it('ends with its session, also when its code was heard', () => {
    const story = answered();
    story.receipt('DELIVRD', 'msg_1', heard);
    expect(stops(story)).toEqual([]);
    expect(story.last).toMatchObject({ status: 'answered', holder: 'prc_1', call: { state: 'heard' } });
    story.do({ kind: 'check', correct: true });
    expect(stops(story)).toEqual([stop('msg_1', 'session_over')]);
  });

  it('and not heard moves the cascade on at once', () => {
    const story = answered(voiceThenSms);
    story.clock = 52_000;
    story.receipt('UNDELIV', 'msg_1', last({ state: 'no_key', keys: 0, readings: 0, talkSeconds: 25 }));
    expect(story.statuses).toEqual(['voice undelivered', 'sms queued']);
    expect(stops(story)).toEqual([]);
    expect(story.message('msg_1').cost).toMatchObject({ amount: '12.50', parts: 25, final: true });
  });
});

describe('the two receipts of a call that was heard', () => {
  const story = new Story(voiceOnly).ring();
  story.answer();
  story.clock = 20_000;
  story.receipt('DELIVRD', 'msg_1', heard);
  const first = story.last;
  story.receipt('DELIVRD', 'msg_1', {
    ...heard,
    operatorTimestamp: 20_000,
    call: callReport({ ...up, state: 'heard', ended: true, talkSeconds: 34 }),
  });

  it('both are taken in and told: delivered at the first, the cost at the last', () => {
    expect(first).toMatchObject({ status: 'answered', holder: 'prc_1', cost: { final: false, revision: 1 } });
    expect(story.last).toMatchObject({ status: 'answered', holder: null, parts: 34, call: { talkSeconds: 34 } });
    expect(story.last.cost).toMatchObject({ amount: '17.00', parts: 34, final: true, revision: 2 });
    expect(story.told).toEqual(['message.submitted', 'receipt.updated', 'receipt.updated']);
    expect(story.kinds.filter((kind) => kind === 'delivery_delivered')).toHaveLength(1);
    const receipts = story.session.timeline.filter(({ kind }) => kind === 'receipt_received');
    expect(receipts.map(({ call }) => call?.ended)).toEqual([false, true]);
  });

  it('and each is repeated in vain', () => {
    const again = story.receipt('DELIVRD', 'msg_1', { ...heard, operatorTimestamp: 20_000 });
    expect(again).toEqual({ kind: 'ignored', reason: 'repeated receipt' });
  });
});

describe('a call that never rang', () => {
  const voiceCall = () => {
    const story = new Story(voiceThenSms);
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    return story;
  };

  it('was refused: with the code and the state, and the next leg', () => {
    const story = voiceCall();
    const call = callReport({ state: 'busy', sipCode: 486, q850: 17, ended: true, talkSeconds: 0 });
    story.do({ kind: 'rejected', messageId: 'msg_1', reason: 'submit_refused', errorCode: '486', call });
    expect(story.message('msg_1')).toMatchObject({ status: 'rejected', holder: null, call });
    expect(story.session.timeline).toContainEqual(
      expect.objectContaining({ kind: 'message_failed', detail: '486 busy', call }),
    );
    expect(story.statuses).toEqual(['voice rejected', 'sms queued']);
  });

  it('had no answer of any kind: unknown, never sent again, and the next leg at once', () => {
    const story = voiceCall();
    story.clock = 32_000;
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    expect(story.statuses).toEqual(['voice unknown', 'sms queued']);
    expect(story.message('msg_1').holder).toBeNull();
    expect(story.session.legEndsAt).toBe(47_000);
    expect(story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' })).toMatchObject({ kind: 'ignored' });
  });

  it('was certainly not placed: back to the queue, of no process', () => {
    const story = voiceCall();
    story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' });
    expect(story.message('msg_1')).toMatchObject({ status: 'queued', holder: null });
  });

  it('was not placed by a process that says so again: the call that another one makes by now goes on', () => {
    const story = voiceCall();
    expect(story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' })).toEqual({ kind: 'done' });
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_2' });
    expect(story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' })).toMatchObject({ kind: 'ignored' });
    expect(story.message('msg_1')).toMatchObject({ status: 'submitting', holder: 'prc_2' });
  });
});

describe('a call whose process died', () => {
  const lost = (story: Story, holder = 'prc_1') => story.do({ kind: 'holder_lost', messageId: 'msg_1', holder });

  it('rang: unknown, its cost not final, and the next leg at once', () => {
    const story = new Story(voiceThenSms).ring();
    expect(lost(story)).toEqual({ kind: 'done' });
    expect(story.message('msg_1')).toMatchObject({ status: 'unknown', reason: 'process_lost', holder: null });
    expect(story.message('msg_1')).toMatchObject({ call: { ended: true }, cost: { final: false } });
    expect(stops(story)).toEqual([stop('msg_1', 'leg_over')]); // It may only have been asleep.
    expect(story.statuses).toEqual(['voice unknown', 'sms queued']);
    expect(lost(story)).toMatchObject({ kind: 'ignored' });
  });

  it('was answered: the same, though its leg would have held', () => {
    const story = new Story(voiceThenSms).ring();
    story.answer();
    lost(story);
    expect(story.statuses).toEqual(['voice unknown', 'sms queued']);
  });

  it('was heard: stays delivered, and no leg follows', () => {
    const story = new Story(voiceThenSms).ring();
    story.answer();
    story.receipt('DELIVRD', 'msg_1', heard);
    lost(story);
    expect(story.statuses).toEqual(['voice answered']);
    expect(story.last).toMatchObject({ holder: null, call: { ended: true }, cost: { final: false } });
    expect(stops(story)).toEqual([]);
  });

  it('of an earlier leg moves nothing', () => {
    const story = new Story(voiceThenSms).ring();
    story.deadlineAt(45_000);
    lost(story);
    expect(story.statuses).toEqual(['voice unknown', 'sms queued']);
    expect(story.session.legEndsAt).toBe(60_000);
  });

  it('is another one than the holder: nothing changes', () => {
    const story = new Story(voiceThenSms).ring();
    expect(lost(story, 'prc_2')).toMatchObject({ kind: 'ignored' });
    expect(story.last.status).toBe('submitted');
  });

  it('was being placed, by a process that was only asleep: it is stopped there as soon as it rings', () => {
    const story = new Story(voiceThenSms);
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'process_lost' });
    const answer = { providerMessageId: null, parts: 0, tariff: callTariff, call: callReport() };
    story.do({ kind: 'accepted', messageId: 'msg_1', ...answer });
    expect(stops(story)).toEqual([{ ...stop('msg_1', 'leg_over'), holder: null }]);
  });

  it('and was not dead: its own last report still counts', () => {
    const story = new Story(voiceThenSms).ring();
    lost(story);
    story.receipt('DELIVRD', 'msg_1', last({ state: 'heard', talkSeconds: 30 }));
    expect(story.message('msg_1')).toMatchObject({ status: 'delivered', cost: { amount: '15.00', final: true } });
    expect(story.session.delivery).toBe('delivered');
  });
});

it('a text message has no holder and no call, and is not stopped once it is sent', () => {
  const story = new Story({ request: { cascade: [sms!, app!] } }).accept();
  expect(story.last).toMatchObject({ holder: null, call: null });
  story.do({ kind: 'check', correct: true });
  expect(stops(story)).toEqual([]);
});

it('the tariff of a call counts its started units, and its minimum', () => {
  const cost = (tariff: typeof callTariff, talkSeconds: number) => {
    const story = new Story(voiceOnly).ring('msg_1', tariff);
    story.receipt('UNDELIV', 'msg_1', last({ state: 'hung_up', talkSeconds }));
    return [story.last.cost?.parts, story.last.cost?.amount];
  };
  expect(cost(callTariff, 3)).toEqual([10, '5.00']);
  expect(cost(callTariff, 61)).toEqual([61, '30.50']);
  expect(cost({ ...callTariff, unitSeconds: 60 }, 61)).toEqual([2, '1.00']);
  expect(cost({ ...callTariff, unitSeconds: 60, minimumSeconds: 0 }, 0)).toEqual([1, '0.50']);
});
