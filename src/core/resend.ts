// A second send to the same number for the same purpose: the same session and code, a new run of the cascade.

import { startLeg, stopSending } from './cascade.ts';
import { type Draft, note, settleDeadline } from './draft.ts';
import type { AskedAgain, Event, Outcome, World } from './event.ts';
import { defaultTimeoutMs } from './open.ts';
import type { Channel, Leg, Session } from './session.ts';

export function resend(draft: Draft, event: Extract<Event, { kind: 'resend' }>): Outcome {
  const { session, world } = draft;
  if (session.status !== 'pending' || session.expiresAt - world.now < world.rules.minimumRemainingMs) {
    return { kind: 'open_new' };
  }
  const field = difference(session, event.asked);
  if (field) return { kind: 'resend_differs', field };
  if (session.sends >= world.rules.maxSends) return { kind: 'too_many_sends' };
  const resendAfter = resendAfterOf(session, world.rules);
  if (resendAfter !== null && world.now < resendAfter) return { kind: 'resend_too_soon', resendAfter };

  const legs = legsFrom(session, event.channel);
  const plans = legs.map((leg) => world.plan(session, leg));
  if (plans.every((plan) => plan.kind === 'skip')) {
    return { kind: 'no_route', reason: plans.map((plan) => (plan.kind === 'skip' ? plan.reason : '')).join(', ') };
  }
  stopSending(draft);
  session.run += 1;
  session.sends += 1;
  session.lastSendAt = world.now;
  session.legs = legs;
  session.delivery = 'sending';
  note(draft, { kind: 'resend_requested', channel: (legs[0] as Leg).channel });
  startLeg(draft, 0);
  settleDeadline(draft);
  return { kind: 'resent' };
}

/** Earliest time of the next send: at once when the last run is exhausted; null when none is left. */
export function resendAfterOf(session: Session, rules: World['rules']): number | null {
  if (session.status !== 'pending' || session.sends >= rules.maxSends) return null;
  return session.delivery === 'exhausted' ? session.lastSendAt : session.lastSendAt + rules.resendIntervalMs;
}

/** From the channel asked for on, else from the leg after the one under way; past the end the cascade begins again. */
function legsFrom(session: Session, channel: Channel | null): Leg[] {
  if (channel !== null) {
    const at = session.cascade.findIndex((leg) => leg.channel === channel);
    return at < 0 ? [{ channel, timeoutMs: defaultTimeoutMs[channel] }] : session.cascade.slice(at);
  }
  const last = session.messages.at(-1)?.channel;
  const next = session.cascade.findIndex((leg) => leg.channel === last) + 1;
  return next >= session.cascade.length ? session.cascade : session.cascade.slice(next);
}

/** First field in which a second send contradicts the session it would resend; only what it says explicitly counts. */
function difference(session: Session, asked: AskedAgain): string | null {
  const differs: [string, boolean][] = [
    ['language', asked.language !== undefined && asked.language !== session.language],
    ['code_length', asked.codeLength !== undefined && asked.codeLength !== session.codeLength],
    ['ttl_seconds', asked.ttlMs !== undefined && asked.ttlMs !== session.expiresAt - session.createdAt],
    ['sender_id', asked.senderId !== undefined && asked.senderId !== (session.senderId ?? '')],
    ['cascade', asked.cascade !== undefined && JSON.stringify(asked.cascade) !== JSON.stringify(session.cascade)],
    ['client_reference', asked.clientReference !== undefined && asked.clientReference !== session.clientReference],
    ['autofill.android_app_hash', differsFrom(asked.androidAppHash, session.autofill.androidAppHash)],
    ['autofill.web_origin', differsFrom(asked.webOrigin, session.autofill.webOrigin)],
  ];
  return differs.find(([, yes]) => yes)?.[0] ?? null;
}

const differsFrom = (asked: string | undefined, had: string | undefined) =>
  asked !== undefined && asked !== (had ?? '');
