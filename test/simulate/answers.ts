// The promises about what was answered: one effect and one answer for a key and for a call that two processes did, tries counted once, each right
// code valid once, limits kept. Answers that got lost may have had an effect; those that did not say of one had none.
import { sendsUnit } from '../../src/core/limits/budget.ts';
import { parseFixed } from '../../src/core/money/money.ts';
import type { CheckResult, SendResult } from '../../src/engine/engine.ts';
import type { Call } from './clients.ts';
import { type Done, failureWindowMs } from './process.ts';
import type { Complain } from './promises.ts';
import type { Settings } from './schedule.ts';
import type { StoredSession } from './store/tables.ts';
import type { World } from './world.ts';

/** What an answer says of its effect; null where it had none. */
function effectOf({ answer }: Pick<Call, 'answer'> | Done): { fresh: boolean; text: string } | null {
  if (answer?.kind !== 'answered') return null;
  const result = answer.result as SendResult | CheckResult;
  if (result.kind === 'replayed') return { fresh: false, text: JSON.stringify(result.answer) };
  if (result.kind === 'sent') {
    return { fresh: true, text: JSON.stringify({ id: result.session.id, sends: result.session.sends }) };
  }
  if (result.kind !== 'checked') return null;
  const { reason } = result.checked;
  return reason === null || reason === 'incorrect_code' ? { fresh: true, text: JSON.stringify(result.checked) } : null;
}

const byKey = (calls: readonly Call[]) =>
  Map.groupBy(
    calls.filter(({ key }) => key !== null),
    ({ key }) => key,
  );

/** One key, one effect, one answer. */
export function keysHold({ clients }: World, complain: Complain): void {
  for (const [key, calls] of byKey(clients.calls)) {
    const effects = calls.map(effectOf).filter((effect) => effect !== null);
    if (effects.filter(({ fresh }) => fresh).length > 1) complain(`${key} was done twice`);
    const texts = new Set(effects.map(({ text }) => text));
    if (texts.size > 1) complain(`${key} was answered in two ways: ${[...texts].join(' and ')}`);
  }
}

/** A call that two processes do is answered alike by both, as far as each says that it did it. */
export function operationsHold({ done }: World, complain: Complain): void {
  for (const all of done.values()) {
    const did = all.filter((each) => effectOf(each) !== null);
    if (did.length < 2) continue;
    const sessions = new Set(did.map(sessionOf).filter((session) => session !== null));
    // A send is answered by its session as it is by then.
    const texts = new Set(did.map((each) => effectOf(each)?.text.replace(/,"sends":\d+/, '')));
    const kind = did[0]?.kind ?? 'call';
    if (sessions.size > 1) complain(`a ${kind} was done in two sessions`);
    else if (texts.size > 1) complain(`a ${kind} was answered in two ways: ${[...texts].join(' and ')}`);
  }
}

/** A check or a resend is noted in the timeline of its session, and a send that opens one gives it its id. */
export function operationsAreStoredOnce({ tables }: World, complain: Complain): void {
  const stored = new Set<string>(tables.sessions.keys());
  for (const { session } of tables.sessions.values()) {
    for (const { operation, kind } of session.timeline) {
      if (operation === undefined) continue;
      if (stored.has(operation)) complain(`a ${kind === 'code_checked' ? 'check' : 'send'} was done twice`);
      stored.add(operation);
    }
  }
}

const isUnanswered = ({ answer }: Call): boolean => answer?.kind !== 'answered';

/**
 * Whether the call may have had an effect that its answer does not say: it has none, or says of none, and another process than the one that
 * answered may have done it before or after.
 */
const mayHaveMore = (call: Call, { hasOwners }: Settings): boolean =>
  isUnanswered(call) || (hasOwners && effectOf(call) === null);

/** Calls that may have had one effect: those without an answer, but a key has one effect at most. */
function possible(calls: readonly Call[], settings: Settings): number {
  const unkeyed = calls.filter((call) => call.key === null && (mayHaveMore(call, settings) || effectOf(call)?.fresh));
  const keys = [...byKey(calls).values()].filter((same) =>
    same.some((call) => mayHaveMore(call, settings) || effectOf(call)),
  );
  return unkeyed.length + keys.length;
}

export function triesAreCountedOnce(
  { clients, schedule }: World,
  { session }: StoredSession,
  complain: Complain,
): void {
  const { id, attempts, timeline } = session;
  const noted = timeline.filter(({ kind }) => kind === 'code_checked').length;
  if (noted !== attempts) complain(`${id} counts ${attempts} tries, and its timeline ${noted}`);
  const checks = clients.calls.filter(({ operation }) => operation.kind === 'check');
  const answered = checks.filter((call) => sessionOf(call) === id && effectOf(call)?.fresh === true).length;
  if (answered > attempts) complain(`${answered} tries of ${id} were answered and ${attempts} are counted`);
  const mayBeIts = checks.filter((call) => {
    const named = sessionOf(call);
    return named === id || (named === null && call.operation.to === session.to);
  });
  const most = possible(mayBeIts, schedule.settings);
  if (attempts > most) complain(`${id} counts ${attempts} tries, and clients made ${most}`);
}

/** The session an answer names; null where there is no answer or it names none. */
function sessionOf({ answer }: Call | Done): string | null {
  if (answer?.kind !== 'answered' || !('session' in answer.result)) return null;
  return (answer.result.session as { id: string }).id;
}

export function rightCodeOnce({ clients, schedule }: World, { session }: StoredSession, complain: Complain): void {
  const right = clients.calls.filter(({ typed }) => typed?.sessionId === session.id);
  const valid = right.filter((call) => effectOf(call)?.text.includes('"valid":true'));
  const once = new Set(valid.map((call) => call.key ?? call));
  if (once.size > 1) complain(`the right code of ${session.id} was valid ${once.size} times`);
  if (session.status !== 'verified' || once.size === 1) return;
  const mayHave = right.filter((call) => {
    if (!mayHaveMore(call, schedule.settings)) return false;
    return call.key === null || !right.some((same) => same.key === call.key && effectOf(same) !== null);
  });
  const isRefused = (call: Call) =>
    call.key !== null && right.some((same) => same.key === call.key && !isUnanswered(same));
  if (mayHave.length === 0) complain(`${session.id} was verified, and no right code was answered so`);
  else if (mayHave.every(isRefused)) complain(`${session.id} was verified by a key that was answered otherwise`);
}

/** What was sent was granted, and no more was granted than a budget has. */
export function budgetsHold({ tables, schedule }: World, complain: Complain): void {
  // A correction of which it is not known whether it was stored is told again.
  const isToldTwice = schedule.faults.some(
    ({ kind, statement }) => kind === 'database' && (statement === 'answer_lost' || statement === 'late'),
  );
  const sessions = [...tables.sessions.values()];
  const messages = sessions.flatMap(({ session, messages: of }) => [...of.values()].map((each) => ({ session, each })));
  for (const [key, { used, most }] of tables.budgets) {
    const [, , period = '', unit = ''] = key.split('\n');
    let counted = 0n;
    // One that was given up before its carrier took it after all costs what nothing was kept for.
    let surprise = 0n;
    if (unit === sendsUnit) counted = parseFixed(String(sessions.reduce((sum, { session }) => sum + session.sends, 0)));
    else {
      for (const { session, each } of messages) {
        const { reserve, cost, finalAt, id } = each;
        if (reserve?.currency !== unit) continue;
        const wasGivenUp = session.timeline.some(
          ({ kind, messageId }) => messageId === id && (kind === 'message_withdrawn' || kind === 'message_failed'),
        );
        if (cost?.final && wasGivenUp) surprise += parseFixed(cost.amount);
        else if (cost?.final) counted += parseFixed(cost.amount);
        else if (cost || each.receipts.length > 0 || finalAt === null) counted += parseFixed(reserve.amount);
      }
    }
    if (counted > used) complain(`${unit} per ${period}: ${counted} was spent, of which ${used} was granted`);
    const corrected = tables.corrections.get(key) ?? 0n;
    if (corrected > surprise && !isToldTwice)
      complain(`${unit} per ${period}: ${corrected} was corrected, of ${surprise}`);
    if (used > most + corrected) complain(`${unit} per ${period}: ${used} was granted, of ${most}`);
  }
}

export function limitsHold({ tables, schedule, clients, time }: World, complain: Complain): void {
  const { settings } = schedule;
  const lastedSeconds = (time.now - (clients.calls[0]?.askedAt ?? time.now)) / 1000;
  const sessions = [...tables.sessions.values()].map(({ session }) => session);
  const mostSends = Math.floor(Math.min(settings.perNumber, settings.platformPerNumber) * (1 + lastedSeconds / 3600));
  let all = 0;
  for (const [to, same] of Map.groupBy(sessions, (session) => session.to)) {
    const sends = same.reduce((sum, session) => sum + session.sends, 0);
    all += sends;
    if (sends > mostSends) complain(`${to} was sent to ${sends} times, of ${mostSends}`);
    const wrong = clients.calls.filter(
      (call) =>
        call.operation.to === to && effectOf(call)?.fresh === true && effectOf(call)?.text.includes('incorrect_code'),
    ).length;
    const windows = Math.floor((lastedSeconds * 1000 + 3_000) / failureWindowMs) + 1;
    if (wrong > settings.failures * windows)
      complain(`${wrong} wrong codes of ${to} were answered, of ${settings.failures} a window`);
  }
  const burst = Math.max(settings.accountBurst, settings.accountPerSecond);
  const most = burst + settings.accountPerSecond * lastedSeconds;
  if (all > most) complain(`${all} sends of the account, of ${Math.floor(most)}`);
}
