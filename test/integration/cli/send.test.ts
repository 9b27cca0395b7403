// The story of a call in the terminal: it waits for the hang-up, because a call's cost is known only then.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { screenOn } from '../../../src/cli/send/screen.ts';
import { playStory } from '../../../src/cli/send.ts';
import { listen } from '../../support/listen.ts';

const to = '+213551234567';
const openedAt = '2026-11-22T17:12:40.000Z';
const entry = (kind: string, seconds: number, more: object = {}) => {
  const at = new Date(Date.parse(openedAt) + seconds * 1_000).toISOString();
  return { at, kind, run: 1, position: 0, channel: 'voice', message_id: 'msg_1', ...more };
};

/** A service with one session, which its phone hangs up after the third look; what was written to a screen there. */
async function played(answers: Record<string, () => object> = {}, isTTY = false) {
  let looks = 0;
  const session = () => {
    looks += 1;
    const ended = looks > 3;
    const call = { state: 'heard', answered_at: entry('', 2).at, ended };
    return {
      id: 'vrf_1',
      status: 'pending',
      delivery: 'delivered',
      created_at: openedAt,
      cascade: [{ channel: 'voice', timeout_seconds: 45 }],
      messages: [{ id: 'msg_1', run: 1, position: 0, channel: 'voice', status: 'delivered', call }],
      timeline: [
        entry('leg_started', 0),
        entry('message_submitted', 1, { call: { state: 'ringing' } }),
        entry('receipt_received', 8, { reason: 'DELIVRD', call: { state: 'heard', ended: false } }),
        ...(ended ? [entry('receipt_received', 12, { reason: 'DELIVRD', call })] : []),
      ],
      total_cost: [{ amount: ended ? '1.20' : '0.00', currency: 'DZD' }],
    };
  };
  const table: Record<string, () => object> = {
    'POST /v1/verify/send': () => ({ id: 'vrf_1', cascade: [{ timeout_seconds: 45 }] }),
    'POST /v1/verify/check': () => ({ valid: true, reason: '' }),
    'GET /v1/verify/sessions/vrf_1': session,
    'GET /sandbox/messages': () => ({ messages: [{ text: 'call: 4 0 7 2', digits: '4072' }] }),
    ...answers,
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(table[`${request.method} ${path}`]?.()));
  });
  const { port } = await listen(server);
  const http = `http://127.0.0.1:${port}`;
  const written: string[] = [];
  const screen = screenOn({ isTTY, write: (text) => written.push(text) }, { NO_COLOR: '1' });
  const exit = await playStory(to, { http, sandbox: http, api_key: 'k', numbers: {} }, screen);
  return { exit, written };
}

test('the story of a call goes on until the hang-up', async () => {
  const { exit, written } = await played();
  expect(exit).toBe(0);
  expect(written).toHaveLength(1);
  const [title, empty, ...rest] = (written[0] ?? '').split('\n');
  expect([title, empty]).toEqual([`session vrf_1 to ${to}`, '']);
  expect(rest.join('\n')).toContain('◇ 1.00 s ringing  ✓ 8.00 s heard  ✓ 12.00 s over');
  expect(rest.slice(-5)).toEqual(['', 'the phone shows: 4072', 'checked: valid', 'cost: 1.20 DZD', '']);
});

test('a terminal sees it grow', async () => {
  const { exit, written } = await played({}, true);
  expect(exit).toBe(0);
  expect(written.length).toBeGreaterThan(4);
  expect(written[0]).not.toContain('over');
  expect(written.findIndex((text) => text.includes('the phone shows'))).toBeLessThan(
    written.findIndex((text) => text.includes('12.00 s over')),
  );
});

test('a code that is not right, and a send that is refused, are no success', async () => {
  const wrong = await played({ 'POST /v1/verify/check': () => ({ valid: false, reason: 'expired' }) });
  expect(wrong.exit).toBe(1);
  expect(wrong.written[0]).toContain('checked: not valid (expired)\ncost: 1.20 DZD\n');
  const error = { code: 'invalid_number', message: 'to is no number' };
  const refused = await played({ 'POST /v1/verify/send': () => ({ error }) });
  expect(refused).toEqual({ exit: 1, written: ['refused: invalid_number: to is no number\n'] });
});

test('a refusal in the middle of the story is told as what it is', async () => {
  const error = { code: 'number_locked', message: 'too many wrong codes' };
  const locked = await played({ 'POST /v1/verify/check': () => ({ error }) });
  expect(locked.exit).toBe(1);
  expect(locked.written[0]).toMatch(/the phone shows: 4072\nrefused: number_locked: too many wrong codes\n$/);
  const away = await played({ 'GET /v1/verify/sessions/vrf_1': () => ({ error: { ...error, code: 'unavailable' } }) });
  expect(away).toEqual({ exit: 1, written: [expect.stringMatching(/^session vrf_1 .*\n\n\nrefused: unavailable: /)] });
});
