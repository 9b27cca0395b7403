// The crash driver's checks can fail: each breach of a promise in otherwise clean evidence is found.
import { expect, test } from 'vitest';
import { verifyAll } from '../../chaos/verify/all.ts';
import { kept, startedAt } from './evidence.ts';

type Kept = ReturnType<typeof kept>;

const promisesBroken = (tamper: (evidence: Kept) => void) => {
  const evidence = kept();
  tamper(evidence);
  return [...new Set(verifyAll(evidence).map(({ promise }) => promise))];
};

test('nothing is found where every promise was kept', () => {
  expect(verifyAll(kept())).toEqual([]);
});

/** The first message of the second session is in doubt, so its code goes out once more. */
function inDoubt(evidence: Kept): void {
  const first = evidence.messages[1] as Kept['messages'][0];
  evidence.messages.push({ ...first, id: 'm9', attempt: 2 });
  Object.assign(first, { status: 'unknown', submitted_at: null });
  evidence.arrived.push({ ...(evidence.arrived[1] as Kept['arrived'][0]) });
  evidence.sessions[1]?.timeline.push(...resendOf(first.id));
}

const resendOf = (messageId: string) => [
  { at: startedAt, kind: 'message_unknown', messageId },
  { at: startedAt, kind: 'in_doubt_resend' },
];

test('a code may go out twice where its first message is in doubt and the session says so', () => {
  expect(promisesBroken(inDoubt)).not.toContain('one leg, one message');
  expect(promisesBroken(inDoubt)).not.toContain('never two submit_sm of one message');
});

test('a second message that did not leave, since the first one was on its way after all, breaks nothing', () => {
  const broken = promisesBroken((evidence) => {
    const first = evidence.messages[1] as Kept['messages'][0];
    evidence.messages.push({ ...first, id: 'm9', attempt: 2, status: 'withdrawn', submitted_at: null, cost: null });
    evidence.sessions[1]?.timeline.push(...resendOf(first.id));
  });
  expect(broken).toEqual([]);
});

test('a first message whose receipt shows, after the second one has left, that it was taken breaks nothing', () => {
  const broken = promisesBroken((evidence) => {
    inDoubt(evidence);
    Object.assign(evidence.messages[1] as object, { status: 'delivered', submitted_at: startedAt });
    const messageId = evidence.messages[1]?.id ?? '';
    evidence.sessions[1]?.timeline.push({ at: startedAt, kind: 'message_submitted', messageId });
  });
  expect(broken).not.toContain('one leg, one message');
  expect(broken).not.toContain('never two submit_sm of one message');
});

test.each<[breach: string, tamper: (evidence: Kept) => void]>([
  ['the session does not say so', ({ sessions }) => sessions[1]?.timeline.pop()],
  [
    'the first message was not in doubt',
    ({ sessions, messages }) =>
      sessions[1]?.timeline.unshift({ at: startedAt, kind: 'message_submitted', messageId: messages[1]?.id ?? '' }),
  ],
])('a code that goes out twice is found: %s', (_, tamper) => {
  const broken = promisesBroken((evidence) => {
    inDoubt(evidence);
    tamper(evidence);
  });
  expect(broken).toContain('one leg, one message');
  expect(broken).toContain('never two submit_sm of one message');
});

const breaches: [promise: string, breach: string, tamper: (evidence: Kept) => void][] = [
  ['no acknowledged session is lost', 'gone', ({ listed }) => listed.splice(1, 1)],
  ['a session keeps its number', 'another number', ({ listed }) => Object.assign(listed[1] as object, { to: '+9' })],
  ['one key, one session', 'two ids for a key', ({ sent }) => sent[1]?.ids.add('s1')],
  ['one key, one session', 'two sessions', (e) => e.listed.push({ ...(e.listed[1] as Kept['listed'][0]), id: 's4' })],
  [
    'every acknowledged message ends',
    'stuck',
    ({ messages }) => Object.assign(messages[1] as object, { status: 'queued' }),
  ],
  [
    'every acknowledged message ends',
    'never sent',
    (e) => Object.assign(e.messages[1] as object, { status: 'withdrawn' }),
  ],
  ['servers end only when they are killed', 'a crash', (evidence) => Object.assign(evidence, { deaths: 1 })],
  ['one first send per account', 'two', (evidence) => Object.assign(evidence, { firstSends: 2 })],
  [
    'never two submit_sm of one message',
    'plain',
    ({ arrived }) => arrived.push({ ...(arrived[0] as Kept['arrived'][0]) }),
  ],
  [
    'never two submit_sm of one message',
    'silent',
    ({ arrived }) => arrived.push({ ...(arrived[2] as Kept['arrived'][0]) }),
  ],
  ['nothing leaves without a record', 'queued', (e) => Object.assign(e.messages[2] as object, { status: 'queued' })],
  [
    'nothing leaves without a record',
    'unknown number',
    ({ arrived }) => Object.assign(arrived[2] as object, { to: '+9' }),
  ],
  ['what is submitted was taken', 'made up', ({ arrived }) => arrived.splice(2, 1)],
  ['one leg, one message', 'two', (e) => e.messages.push({ ...(e.messages[0] as Kept['messages'][0]), id: 'm9' })],
  ['a wrong code is never valid', 'valid', ({ checked }) => Object.assign(checked[0] as object, { correct: false })],
  ['verified exactly once', 'twice', ({ checked }) => Object.assign(checked[1] as object, { answers: [true] })],
  ['a right code verifies', 'not', ({ checked }) => Object.assign(checked[0] as object, { answers: [false] })],
  [
    'a wrong try is counted once',
    'twice',
    ({ checked, sessions }) => {
      checked.push({ sessionId: 's1', key: 'c1-wrong', correct: false, answers: [false] });
      const entry = { at: startedAt, kind: 'code_checked', reason: 'incorrect_code' };
      sessions[0]?.timeline.push(entry, { ...entry });
    },
  ],
  [
    'a wrong try is counted once',
    'never',
    (e) => e.checked.push({ sessionId: 's1', key: 'c1-wrong', correct: false, answers: [false] }),
  ],
  ['verified stays verified', 'not', ({ listed }) => Object.assign(listed[0] as object, { status: 'pending' })],
  ['nothing verifies unasked', 'by itself', ({ listed }) => Object.assign(listed[1] as object, { status: 'verified' })],
  ['every webhook is delivered', 'one lost', ({ events }) => events.delete('r2')],
  ['no webhook is given up', 'failed', (e) => Object.assign(e.deliveries[0] as object, { status: 'failed' })],
  ['one id, one body', 'another body', ({ events }) => Object.assign(events.get('e1') as object, { otherBodies: 1 })],
  ['every webhook is signed', 'not', ({ events }) => Object.assign(events.get('e1') as object, { unverified: 1 })],
  [
    'session_sequence has no gap and no double',
    'gap',
    ({ events }) => Object.assign(events.get('r2') as object, { sequence: 3 }),
  ],
  [
    'session_sequence has no gap and no double',
    'double',
    (e) => Object.assign(e.events.get('r2') as object, { sequence: 1 }),
  ],
  ['every event was told', 'one short', ({ sessions }) => Object.assign(sessions[0] as object, { event_sequence: 4 })],
  [
    'every receipt is told',
    'another status',
    ({ events }) => Object.assign(events.get('r2') as object, { status: 'ENROUTE' }),
  ],
  [
    'verified is told exactly once',
    'not',
    ({ events }) => Object.assign(events.get('v1') as object, { type: 'other' }),
  ],
  ['costs add up', 'none', ({ messages }) => Object.assign(messages[0] as object, { cost: null })],
  ['costs add up', 'of an unknown', ({ messages }) => Object.assign(messages[2] as object, { status: 'unknown' })],
  ['costs add up', 'another sum', ({ listed }) => Object.assign(listed[1] as object, { total_cost: [] })],
  ['costs add up', 'never told', ({ events }) => Object.assign(events.get('r2') as object, { cost: null })],
  ['bind slots are never exceeded', 'three', ({ peaks }) => Object.assign(peaks[0] as object, { unfrozen: 3 })],
  ['bind slots are never exceeded', 'five, frozen', ({ peaks }) => Object.assign(peaks[0] as object, { ever: 5 })],
];

test.each(breaches)('%s (%s)', (promise, _breach, tamper) => {
  expect(promisesBroken(tamper)).toContain(promise);
});

const late = 'no timer is later than a second after the lease';

test('webhooks are late when another process should have posted them by then, or nobody ever took them over', () => {
  const came = (lateMs: number) =>
    promisesBroken(({ events }) => Object.assign(events.get('r2') as object, { at: startedAt + lateMs }));
  const share = 'of a hundred webhooks 99 come within a second of the lease';
  expect(came(4_000)).toEqual([]);
  expect(came(4_001)).toEqual([share]);
  expect(came(15_001)).toEqual([share, "no webhook waits for its row's own lease"]);
});

test.each([
  ['a leg within lease and a second', { at: startedAt + 5_000 + 4_000, kind: 'leg_timed_out' }, []],
  ['a leg later than that', { at: startedAt + 5_000 + 4_001, kind: 'leg_timed_out' }, [late]],
  ['time in which nobody could do it does not count', { at: startedAt + 60_000 + 6_000, kind: 'session_expired' }, []],
  ['an expiry too late', { at: startedAt + 60_000 + 6_001, kind: 'session_expired' }, [late]],
  ['a takeover in time', { at: startedAt + 5_000, kind: 'message_unknown', reason: 'process_lost' }, []],
  ['a takeover too late', { at: startedAt + 5_001, kind: 'message_unknown', reason: 'process_lost' }, [late]],
  [
    'what an operator did not answer is no takeover',
    { at: startedAt + 9_000, kind: 'message_unknown', reason: 'timeout' },
    [],
  ],
])('timers: %s', (_what, entry, expected) => {
  expect(promisesBroken(({ sessions }) => sessions[2]?.timeline.splice(0, 1, entry))).toEqual(expected);
});

test.each([
  ['it begins anew when its message goes out once more', [3_000, 5_000, 6_000, 11_000 + 4_000], []],
  ['it ends too late after that', [3_000, 5_000, 6_000, 11_000 + 4_001], [late]],
  ['its message goes out too late', [3_000, 5_000, 6_000 + 4_001, 15_001], [late]],
  ['the doubt ends it too late', [3_000, 6_000 + 4_001, 6_000 + 4_001, 15_001], [late]],
  ['a doubt that ends before the leg would is in time', [500, 3_500 + 4_000, 7_500, 12_500], []],
  ['a doubt that ends before the leg would is too late', [500, 3_500 + 4_001, 7_501, 12_501], [late]],
  ['its message goes out when it has ended, which was late itself', [3_000, 9_000, 6_000 + 4_001, 15_001], []],
])('a leg in doubt: %s', (_what, [unknown, doubted, resent, ended], expected) => {
  const story = [
    { at: startedAt + (unknown ?? 0), kind: 'message_unknown', reason: 'timeout' },
    { at: startedAt + (doubted ?? 0), kind: 'leg_timed_out', reason: 'in_doubt' },
    { at: startedAt + (resent ?? 0), kind: 'in_doubt_resend' },
    { at: startedAt + (ended ?? 0), kind: 'leg_timed_out' },
  ];
  expect(promisesBroken(({ sessions }) => sessions[2]?.timeline.splice(0, 1, ...story))).toEqual(expected);
});

test('a takeover is not held against a fault before its session, though its process was late to renew its lease', () => {
  const killedAt = (earlierMs: number, lostMs: number) =>
    promisesBroken((evidence) => {
      const [kill] = evidence.incidents;
      if (kill) evidence.incidents.unshift({ ...kill, at: startedAt - earlierMs });
      const entry = { at: startedAt + 1_000 + lostMs, kind: 'message_unknown', reason: 'process_lost' };
      evidence.sessions[2]?.timeline.splice(0, 1, entry);
    });
  expect(killedAt(20_000, 1_800)).toEqual([]);
  expect(killedAt(20_000, 4_001)).toEqual([late]);
});

test('a takeover is not held against an older fault where the kill was written down as its session was opened', () => {
  const broken = promisesBroken((evidence) => {
    const [kill] = evidence.incidents;
    if (!kill) return;
    evidence.incidents.splice(0, 1, { ...kill, at: startedAt - 14_000 }, { ...kill, at: startedAt - 20 });
    const entry = { at: startedAt + 370, kind: 'message_unknown', reason: 'process_lost' };
    evidence.sessions[2]?.timeline.splice(0, 1, entry);
  });
  expect(broken).toEqual([]);
});

const unanswered = 'a call is answered within a second of the lease';

test.each([
  ['in time', { from: 0, to: 4_000 }, []],
  ['later than that', { from: 0, to: 4_001 }, [unanswered]],
  ['time without a database does not count', { from: 60_000, to: 66_000 }, []],
  ['a server that came up meanwhile', { from: -1, to: 4_001 }, []],
])('answers: %s', (_what, { from, to }, expected) => {
  const changed = { from: startedAt + from, to: startedAt + to };
  expect(promisesBroken(({ tries }) => Object.assign(tries[0] as object, changed))).toEqual(expected);
});

test('answers that are refused until it is too late are late', () => {
  const again = (n: number) => ({
    from: startedAt + n * 1_000,
    to: startedAt + n * 1_000 + 10,
    status: n === 5 ? 200 : 503,
  });
  const tries = [0, 1, 2, 3, 4, 5].map((n) => ({ key: 'k2', server: 'b' as const, ...again(n) }));
  expect(promisesBroken((evidence) => evidence.tries.push(...tries))).toEqual([unanswered]);
});
