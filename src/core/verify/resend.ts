// The second send to the same number for the same purpose: a new run of the cascade in the same session, with the same code, since a
// user may type the code of either message.

import { webHost } from './autofill.ts';
import { startLeg, stopSending } from './cascade.ts';
import { by, type Draft, note, noteFindings, settleDeadline } from './draft.ts';
import type { AskedAgain, Outcome, ResendEvent, World } from './event.ts';
import { usualTimeoutMs } from './open.ts';
import { clocksDifferMs } from './rules.ts';
import type { Channel, Leg, Metadata, Session } from './session.ts';

export function resend(draft: Draft, event: ResendEvent): Outcome {
  const { session, world } = draft;
  const { resendIntervalMs, minimumRemainingMs, maxSends } = world.rules;
  const { operation } = event;
  // Another process has done this very call.
  if (operation !== undefined && session.timeline.some((entry) => entry.operation === operation))
    return { kind: 'resent', again: true };
  if (session.status !== 'pending') return { kind: 'open_new', reason: 'replaced' };
  const resendAfter = spacedUntil(session, resendIntervalMs, world.now);
  const isShort = session.expiresAt - world.now < minimumRemainingMs;
  if (isShort || event.otherCode) {
    // Such a session is spaced like any other, or each send to it would replace the code still in flight.
    if (world.now < resendAfter) return { kind: 'resend_too_soon', resendAfter };
    return { kind: 'open_new', reason: event.otherCode ? 'superseded' : 'replaced' };
  }
  const choices = legsToTry(session, event.channel, world.rules);
  // As the session will be: legs of the run under way may be paid for where a resend can't be.
  const resent = { ...session, run: session.run + 1 };
  const usable = choices.find((legs) => legs.some((leg) => world.plan(resent, leg).kind === 'usable'));
  // The language is that of the legs that go out. An empty choice, behind the last leg, speaks none.
  const field = difference(session, event.asked, usable ?? choices.find((legs) => legs.length > 0) ?? []);
  if (field) return { kind: 'resend_differs', field };
  if (session.sends >= maxSends) return { kind: 'too_many_sends' };
  if (world.now < resendAfter) return { kind: 'resend_too_soon', resendAfter };
  if (!usable) return { kind: 'no_route', reason: skipReasons(world, resent, choices.at(-1) ?? []) };
  start(draft, usable, event);
  return { kind: 'resent' };
}

function start(draft: Draft, legs: Leg[], { operation, findings }: ResendEvent): void {
  const { session, world } = draft;
  stopSending(draft, 'leg_over');
  session.run += 1;
  session.sends += 1;
  session.lastSendAt = world.now;
  session.legs = legs;
  session.delivery = 'sending';
  note(draft, { kind: 'resend_requested', channel: (legs[0] as Leg).channel, ...by(operation) });
  noteFindings(draft, findings);
  startLeg(draft, 0);
  settleDeadline(draft);
}

/** Earliest time of the next send; null when none is left. */
export function resendAfterOf(session: Session, rules: World['rules'], now: number): number | null {
  if (session.status !== 'pending' || session.sends >= rules.maxSends) return null;
  return spacedUntil(session, rules.resendIntervalMs, now);
}

/** At once when the last run is exhausted. Nobody waits for as long as the clock was set back by: the next send may be made at once then, too. */
const spacedUntil = ({ delivery, lastSendAt }: Session, intervalMs: number, now: number): number =>
  delivery === 'exhausted' || lastSendAt > now + clocksDifferMs ? Math.min(lastSendAt, now) : lastSendAt + intervalMs;

/**
 * Legs a new run may take, the first choice that has a usable one: from the channel asked for on; else from the leg after
 * the last one taken, and where nothing behind that can be used, the cascade begins again.
 */
function legsToTry(session: Session, channel: Channel | null, { legMs }: World['rules']): Leg[][] {
  const { cascade } = session;
  if (channel !== null) {
    const at = cascade.findIndex((leg) => leg.channel === channel);
    return [at < 0 ? [{ channel, timeoutMs: usualTimeoutMs(channel, legMs) }] : cascade.slice(at)];
  }
  const last = session.messages.at(-1)?.channel;
  const next = cascade.findIndex((leg) => leg.channel === last) + 1;
  return [cascade.slice(next), cascade];
}

function skipReasons(world: World, session: Session, legs: Leg[]): string {
  const plans = legs.map((leg) => world.plan(session, leg));
  return [...new Set(plans.flatMap((plan) => (plan.kind === 'skip' ? [plan.reason] : [])))].join(', ');
}

/** First field in which a second send contradicts the session it would resend by `legs`; only explicit fields count. */
function difference(session: Session, asked: AskedAgain, legs: readonly Leg[]): string | null {
  const key = otherKey(asked.metadata, session.metadata);
  const differs: [string, boolean][] = [
    ['language', isOtherLanguage(session, asked, legs)],
    ['code_length', asked.codeLength !== undefined && asked.codeLength !== session.codeLength],
    ['ttl_seconds', asked.ttlMs !== undefined && asked.ttlMs !== session.expiresAt - session.createdAt],
    ['sender_id', asked.senderId !== undefined && asked.senderId !== (session.senderId ?? '')],
    ['cascade', asked.cascade !== undefined && !sameLegs(asked.cascade, session.cascade)],
    ['client_reference', asked.clientReference !== undefined && asked.clientReference !== session.clientReference],
    [`metadata.${key}`, key !== undefined],
    ['autofill.android_app_hash', differsFrom(asked.androidAppHash, session.autofill.androidAppHash)],
    ['autofill.web_origin', isOtherSite(asked.webOrigin, session.autofill.webOrigin)],
  ];
  return differs.find(([, yes]) => yes)?.[0] ?? null;
}

/** No call speaks English: where calls are all that goes out, who asks for it has asked for what they speak in its place. */
function isOtherLanguage({ language }: Session, asked: AskedAgain, legs: readonly Leg[]): boolean {
  if (asked.language === undefined || asked.language === language) return false;
  const isSpoken = legs.every(({ channel }) => channel === 'voice');
  return !(isSpoken && asked.spoken === language);
}

const sameLegs = (asked: readonly Leg[], had: readonly Leg[]): boolean =>
  asked.length === had.length &&
  asked.every(({ channel, timeoutMs }, at) => channel === had[at]?.channel && timeoutMs === had[at]?.timeoutMs);

/** The first key, in the order of keys, that one of the two lacks or that has another value in each. */
function otherKey(asked: Metadata | undefined, had: Metadata | null): string | undefined {
  if (asked === undefined) return undefined;
  const before = new Map(Object.entries(had ?? {}));
  const keys = [...new Set([...Object.keys(asked), ...before.keys()])].sort();
  return keys.find((key) => !Object.hasOwn(asked, key) || asked[key] !== before.get(key));
}

const differsFrom = (asked: string | undefined, had: string | undefined) =>
  asked !== undefined && asked !== (had ?? '');

/** A site has several spellings (autofill.ts), of which the account has registered one. */
const isOtherSite = (asked: string | undefined, had: string | undefined) =>
  differsFrom(asked, had) && (had === undefined || webHost(asked ?? '') !== webHost(had));
