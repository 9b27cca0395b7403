// The opening of a session: its first run starts in the same step, so that no session exists without a message on its way.

import type { Finding } from '../limits/verdict.ts';
import { startLeg } from './cascade.ts';
import { type Draft, note, noteFindings, settleDeadline, startDraft } from './draft.ts';
import type { Advance, World } from './event.ts';
import type { Autofill, Channel, Language, Leg, Metadata, Mode, Session, Wording } from './session.ts';

/** How long a channel's receipt is waited for by default (contract: 15 s for sms and whatsapp, 45 s for voice). */
const defaultTimeoutMs: Record<Channel, number> = { sms: 15_000, whatsapp: 15_000, voice: 45_000 };

/** The same, moved into the range a deployment may have narrowed. */
export const usualTimeoutMs = (channel: Channel, { min, max }: { min: number; max: number }): number =>
  Math.min(Math.max(defaultTimeoutMs[channel], min), max);

/** A send with every field settled: the client's value, else the account's, else the platform's. */
export interface OpenRequest {
  id: string;
  accountId: string;
  mode: Mode;
  to: string;
  purpose: string;
  language: Language;
  codeLength: number;
  keyId: string;
  /** `saltBytes` random bytes of this session's own, in hexadecimal: see code.ts. */
  salt: string;
  /** The caller's own code, sealed for this session; null where the code is derived. */
  sealedCode: string | null;
  ttlMs: number;
  senderId: string | null;
  clientReference: string;
  metadata: Metadata | null;
  autofill: Autofill;
  wording: Wording | null;
  /** At least one leg; no channel twice. */
  cascade: Leg[];
  /** What rules that are only watched have found. */
  findings?: readonly Finding[];
}

/** The session and its first message, or why no leg can be taken; then there is no session. */
export function open(request: OpenRequest, world: World): Advance | { kind: 'no_route'; reasons: string[] } {
  const draft: Draft = startDraft(blank(request, world.now), world);
  const { session } = draft;
  const plans = session.legs.map((leg) => world.plan(session, leg));
  if (plans.every((plan) => plan.kind === 'skip')) {
    return { kind: 'no_route', reasons: plans.map((plan) => (plan.kind === 'skip' ? plan.reason : '')) };
  }
  note(draft, { kind: 'session_opened', channel: session.channel });
  noteFindings(draft, request.findings);
  startLeg(draft, 0);
  settleDeadline(draft);
  return { next: session, effects: draft.effects, outcome: { kind: 'done' } };
}

function blank(request: OpenRequest, now: number): Session {
  const { id, accountId, mode, to, purpose, language, codeLength, keyId, salt, senderId, clientReference } = request;
  const [first] = request.cascade;
  if (!first) throw new Error('a cascade has at least one leg');
  return {
    id,
    accountId,
    mode,
    to,
    purpose,
    language,
    codeLength,
    keyId,
    salt,
    sealedCode: request.sealedCode,
    senderId,
    clientReference,
    metadata: request.metadata,
    channel: first.channel,
    autofill: request.autofill,
    wording: request.wording,
    cascade: request.cascade,
    status: 'pending',
    statusReason: null,
    delivery: 'sending',
    legs: request.cascade,
    run: 1,
    position: 0,
    sends: 1,
    attempts: 0,
    createdAt: now,
    expiresAt: now + request.ttlMs,
    lastSendAt: now,
    firstSendAt: null,
    verifiedAt: null,
    legEndsAt: null,
    nextAt: null,
    eventSequence: 0,
    timeline: [],
    messages: [],
    version: 0,
  };
}
