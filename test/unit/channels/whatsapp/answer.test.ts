// What each answer of the platform means: one table, from its documentation of errors.

import { describe, expect, it } from 'vitest';
import { codeOf, meaningOf, wordOf } from '../../../../src/channels/whatsapp/answer.ts';
import { errorMeaning } from '../../../../src/channels/whatsapp/errors.ts';
import { graphError, taken, wamid } from './support.ts';

const answered = (status: number, body?: unknown) => meaningOf({ kind: 'answered', status, body });

describe('an answer', () => {
  it('with a message id is taken', () => {
    expect(answered(200, taken())).toEqual({ kind: 'accepted', wamid });
  });

  it.each(['held_for_quality_assessment', 'paused'])('with a message that is %s is taken, and says so', (held) => {
    const meaning = answered(200, { messages: [{ id: wamid, message_status: held }] });
    expect(meaning).toEqual({ kind: 'accepted', wamid, held });
    expect([wordOf(meaning), codeOf(meaning)]).toEqual(['held', held]);
  });

  it('with a word that is not known is taken', () => {
    expect(answered(200, { messages: [{ id: wamid, message_status: 'new' }] })).toEqual({ kind: 'accepted', wamid });
  });

  it.each([131026, 131049, 130472, 131062, 130497])('%i: on to the next leg', (code) => {
    expect(answered(400, graphError(code))).toMatchObject({
      kind: 'refused',
      refusal: { meaning: 'move_on', code: String(code), trace: 'Atrace' },
    });
  });

  it.each([
    ...[130429, 80007, 4, 613, 17, 341].map((code) => [code, 'limited']),
    [131056, 'pair'],
    ...[131000, 1, 2, 131016, 135000, 2494100].map((code) => [code, 'trouble']),
  ] as [number, string][])('%i: again (%s)', (code, why) => {
    expect(answered(code === 130429 ? 429 : 500, graphError(code))).toEqual({ kind: 'again', why, code: String(code) });
  });

  it.each([0, 102, 190, 3, 10, 200, 219, 299, 368, 131031, 131042, 131048, 133010])(
    '%i: the channel is down',
    (code) => {
      expect(answered(401, graphError(code))).toMatchObject({ kind: 'refused', refusal: { meaning: 'channel_down' } });
    },
  );

  it.each([100, 131008, 132000, 132001, 132015, 132016])('%i: a mistake in the configuration', (code) => {
    expect(answered(400, graphError(code))).toMatchObject({ kind: 'refused', refusal: { meaning: 'configuration' } });
  });

  it('with a code nobody has told us of is a refusal, unless it says that it will pass', () => {
    expect(answered(400, graphError(999_999))).toMatchObject({ kind: 'refused', refusal: { meaning: 'other' } });
    expect(answered(500, graphError(999_999, { is_transient: true }))).toMatchObject({ kind: 'again', why: 'trouble' });
    expect(answered(429, graphError(999_999))).toEqual({ kind: 'again', why: 'limited', code: '999999' });
    expect(errorMeaning(300)).toBe('other');
  });

  it.each([{ error_subcode: null }, { is_transient: null }, { fbtrace_id: null }, { fbtrace_id: 'A'.repeat(65) }])(
    'is read by its code alone: %j beside it is left out',
    (more) => {
      const meaning = answered(401, { error: { code: 190, ...more } });
      expect(meaning).toEqual({ kind: 'refused', refusal: { meaning: 'channel_down', code: '190' } });
    },
  );

  it('of a gateway leaves in doubt what only the platform can know', () => {
    for (const status of [500, 502, 503, 504, 408]) {
      expect(answered(status)).toEqual({ kind: 'unknown', reason: 'unreadable_answer' });
    }
    expect(answered(429)).toMatchObject({ kind: 'again', why: 'limited' });
    expect(answered(404)).toMatchObject({ kind: 'refused', refusal: { meaning: 'configuration', code: 'HTTP 404' } });
    expect(answered(302)).toMatchObject({ kind: 'refused', refusal: { code: 'HTTP 302' } });
  });

  it('that says "taken" without an id is not known', () => {
    for (const body of [
      undefined,
      null,
      {},
      'ok',
      { messages: [] },
      { messages: [{ id: '' }] },
      { messages: [{ id: 'a\0' }] },
    ]) {
      expect(answered(200, body)).toEqual({ kind: 'unknown', reason: 'unreadable_answer' });
    }
    // A refusal is a refusal, whatever the status beside it.
    expect(answered(200, graphError(131026))).toMatchObject({ kind: 'refused' });
  });

  it('that did not come: sent or not is what counts', () => {
    expect(meaningOf({ kind: 'not_sent', code: 'ECONNREFUSED' })).toMatchObject({ kind: 'again', why: 'unreachable' });
    expect(meaningOf({ kind: 'unknown', reason: 'timeout' })).toEqual({ kind: 'unknown', reason: 'timeout' });
  });
});
