// The course of an answered call: what is said when, and how it ends, for any order of keys, played phrases, time and stops.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  againWaitMs,
  callLimitMs,
  digitGapMs,
  keyWaitMs,
  limitMarginMs,
  longestClipMs,
  mostReadings,
  Reading,
  type ReadingInput,
  type ReadingOptions,
  type ReadingOutput,
} from '../../../../src/channels/voice/reading.ts';

const answeredAt = 1_800_000_000_000;

/** A call with a clock; a phrase is played when the test says so. */
function call(options: Partial<ReadingOptions> = {}) {
  const reading = new Reading({ code: '4072', requireKey: true, ...options });
  let now = answeredAt;
  let token = 0;
  const outputs: ReadingOutput[] = [];
  const take = (input: ReadingInput): string[] => {
    const given = reading.take(input, now);
    outputs.push(...given);
    for (const output of given) if (output.kind === 'say') token = output.token;
    return given.map(wordOf);
  };
  return {
    reading,
    outputs,
    take,
    answer: () => take({ kind: 'answered' }),
    key: (digit: string) => take({ kind: 'key', digit }),
    /** The phrase that is being spoken comes to its end after `ms`. */
    played: (ms = 4_000) => {
      now += ms;
      return take({ kind: 'played', token });
    },
    /** Time passes up to the next tick. */
    silence: () => {
      const at = reading.nextAt() ?? now;
      const ms = at - now;
      now = at;
      return [ms, ...take({ kind: 'tick' })];
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

/** `say intro press`, `say 4 0 7 2`, `heard`, `hang_up no_key`. */
function wordOf(output: ReadingOutput): string {
  if (output.kind === 'hang_up') return `hang_up ${output.word}`;
  if (output.kind !== 'say') return output.kind;
  return ['say', ...output.clips.flatMap((clip) => ('clip' in clip ? [clip.clip] : []))].join(' ');
}

describe('a call with the request for a key', () => {
  test('without a key it asks twice, waits 10 s each time, and speaks nothing of the code', () => {
    const { answer, played, silence, reading } = call();
    expect(answer()).toEqual(['say intro press']);
    expect(played()).toEqual([]);
    expect(silence()).toEqual([keyWaitMs, 'say press']);
    expect(played()).toEqual([]);
    expect(silence()).toEqual([keyWaitMs, 'hang_up no_key']);
    expect([reading.keys, reading.readings, reading.nextAt()]).toEqual([0, 0, null]);
  });

  test.each([...'0123456789*#'])('the key %s during the introduction starts the reading at once', (digit) => {
    const { answer, key } = call();
    answer();
    expect(key(digit)).toEqual(['say 4 0 7 2']);
  });

  test('a key in either silence, or while it asks once more, starts the reading', () => {
    const first = call();
    first.answer();
    first.played();
    expect(first.key('5')).toEqual(['say 4 0 7 2']);
    const second = call();
    second.answer();
    second.played();
    second.silence();
    expect(second.key('5')).toEqual(['say 4 0 7 2']);
    const third = call();
    third.answer();
    third.played();
    third.silence();
    third.played();
    expect(third.key('5')).toEqual(['say 4 0 7 2']);
  });

  test('a tone that no keypad has is no key', () => {
    const { answer, key, reading } = call();
    answer();
    expect(key('A')).toEqual([]);
    expect(reading.keys).toBe(0);
  });

  test('it reads twice, offers another reading, and ends after the closing words', () => {
    const { answer, key, played, silence, reading } = call();
    answer();
    key('7');
    expect(played()).toEqual(['heard', 'say 4 0 7 2']);
    expect(reading.readings).toBe(1);
    expect(played()).toEqual(['say again']);
    expect(played()).toEqual([]);
    expect(silence()).toEqual([againWaitMs, 'say bye']);
    expect(played()).toEqual(['hang_up heard']);
    expect([reading.keys, reading.readings]).toEqual([1, 2]);
  });

  test('digits have at least 400 ms between them, and a pause before the first', () => {
    const { answer, key, outputs } = call();
    answer();
    key('1');
    const said = outputs.at(-1);
    const clips = said?.kind === 'say' ? said.clips : [];
    expect(clips.map((clip) => ('clip' in clip ? clip.clip : clip.silenceMs >= 400))).toEqual(
      [...'4072'].flatMap((digit) => [true, digit]),
    );
    expect(digitGapMs).toBeGreaterThanOrEqual(400);
  });

  test('the key 1 brings another reading: in the offer, in the silence behind it, in the closing words, in a reading', () => {
    const { answer, key, played, silence, reading } = call();
    answer();
    key('1');
    expect(key('1')).toEqual([]); // The second reading follows anyway.
    played();
    played();
    expect(key('2')).toEqual([]);
    expect(key('1')).toEqual(['say 4 0 7 2']);
    expect(played()).toEqual(['say again']);
    played();
    expect(key('1')).toEqual(['say 4 0 7 2']);
    expect(played()).toEqual(['say again']);
    played();
    expect(silence()).toEqual([againWaitMs, 'say bye']);
    expect(key('1')).toEqual(['say 4 0 7 2']);
    expect(reading.readings).toBe(4);
    expect(played()).toEqual(['say bye']); // Five are the most.
    expect(key('1')).toEqual([]);
    expect(played()).toEqual(['hang_up heard']);
    expect([reading.keys, reading.readings]).toEqual([7, mostReadings]);
  });

  test('a 1 in the second reading is remembered to its end', () => {
    const { answer, key, played } = call();
    answer();
    key('1');
    played();
    expect(key('1')).toEqual([]);
    expect(played()).toEqual(['say 4 0 7 2']);
    expect(played()).toEqual(['say again']);
  });

  test('no reading begins that the limit of the call would cut off', () => {
    const { answer, key, played } = call();
    answer();
    key('1');
    played(50_000);
    expect(played(50_000)).toEqual(['say bye']);
    expect(played(5_000)).toEqual(['hang_up heard']);
  });
});

describe('ends', () => {
  test('without the request, the code follows the introduction', () => {
    const { answer, played } = call({ requireKey: false });
    expect(answer()).toEqual(['say intro']);
    expect(played()).toEqual(['say 4 0 7 2']);
    expect(played()).toEqual(['heard', 'say 4 0 7 2']);
  });

  test('stopped in a phrase: the clip is spoken to its end', () => {
    const { answer, played, take, key } = call();
    answer();
    expect(take({ kind: 'stop' })).toEqual(['finish_phrase']);
    expect(take({ kind: 'stop' })).toEqual([]);
    expect(key('1')).toEqual([]);
    expect(played()).toEqual(['hang_up canceled']);
  });

  test('stopped in silence, or before the answer: at once', () => {
    const { answer, played, take } = call();
    answer();
    played();
    expect(take({ kind: 'stop' })).toEqual(['hang_up canceled']);
    expect(call().take({ kind: 'stop' })).toEqual(['hang_up canceled']);
  });

  test('stopped in the second reading: heard', () => {
    const { answer, played, take, key } = call();
    answer();
    key('1');
    played();
    take({ kind: 'stop' });
    expect(played(500)).toEqual(['hang_up heard']);
  });

  test('a clip that never ends delays the end of a stopped call by its longest time', () => {
    const { answer, silence, take } = call();
    answer();
    take({ kind: 'stop' });
    expect(silence()).toEqual([longestClipMs, 'hang_up canceled']);
  });

  test('a phrase that is never played ends at the limit', () => {
    const { answer, silence } = call();
    answer();
    expect(silence()).toEqual([callLimitMs - limitMarginMs, 'hang_up media_lost']);
  });

  test('the end of a phrase that was replaced means nothing', () => {
    const { answer, key, take } = call();
    answer();
    key('1');
    expect(take({ kind: 'played', token: 1 })).toEqual([]);
    expect(take({ kind: 'played', token: 2 })).toEqual(['heard', 'say 4 0 7 2']);
  });
});

type Step = { do: 'key'; digit: string } | { do: 'played' | 'stale' | 'stop' | 'tick' } | { do: 'pass'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('key' as const), digit: fc.constantFrom(...'0123456789*#ABCD') }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('played' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('stale' as const, 'tick' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 15_000 }) }) },
);

test('any order of keys, played phrases, time and one stop ends in time, and speaks no digit before its key', () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), fc.option(fc.nat(60)), (steps, requireKey, stopAt) => {
      const reading = new Reading({ code: '518396', requireKey });
      let now = answeredAt;
      let token = 0;
      let pressed = false;
      let ended: string | null = null;
      let heard = 0;
      let readings = 0;
      let phrase = '';
      const take = (input: ReadingInput) => {
        if (input.kind === 'key' && ended === null && /[0-9*#]/.test(input.digit)) pressed = true;
        const wasReading = phrase === '518396' && input.kind === 'played' && input.token === token;
        if (wasReading) readings += 1;
        for (const output of reading.take(input, now)) {
          expect(ended).toBeNull();
          if (output.kind === 'hang_up') ended = output.word;
          if (output.kind === 'heard') {
            heard += 1;
            expect(wasReading && readings === 1).toBe(true);
          }
          if (output.kind === 'finish_phrase') phrase = 'cut';
          if (output.kind !== 'say') continue;
          expect(output.token).not.toBe(token);
          token = output.token;
          phrase = output.clips.flatMap((clip) => ('clip' in clip ? [clip.clip] : [])).join('');
          if (/\d/.test(phrase)) expect(phrase).toBe('518396');
          if (/\d/.test(phrase) && requireKey) expect(pressed).toBe(true);
        }
      };
      /** The driver ticks when a tick is due. */
      const passTo = (at: number) => {
        for (let due = reading.nextAt(); due !== null && due <= at; due = reading.nextAt()) {
          expect(due).toBeGreaterThanOrEqual(now);
          now = due;
          take({ kind: 'tick' });
          if (reading.nextAt() === due) throw new Error('the tick did nothing');
        }
        now = at;
      };
      take({ kind: 'answered' });
      for (const [index, each] of steps.entries()) {
        if (index === stopAt) take({ kind: 'stop' });
        if (each.do === 'pass') passTo(now + each.ms);
        else if (each.do === 'key') take({ kind: 'key', digit: each.digit });
        else if (each.do === 'stale') take({ kind: 'played', token: token - 1 });
        else take(each.do === 'played' ? { kind: 'played', token } : { kind: each.do });
      }
      passTo(answeredAt + callLimitMs);
      expect(ended).not.toBeNull();
      expect(reading.nextAt()).toBeNull();
      expect(heard).toBeLessThanOrEqual(1);
      expect(readings).toBeLessThanOrEqual(mostReadings);
      expect(ended === 'heard').toBe(heard === 1);
      if (ended === 'no_key') expect(pressed).toBe(false);
      ends.add(String(ended));
    }),
    { numRuns: 3_000 },
  );
  expect([...ends].sort()).toEqual(['canceled', 'heard', 'media_lost', 'no_key']);
});
