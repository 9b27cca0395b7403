// The sessions of the fake: what the service keeps and decides, as far as an application can see it. Wire names throughout.

import type { Json } from '../codec.ts';
import type { ErrorCode } from '../gen/words.ts';
import { Refusal } from './refusal.ts';
import { type FakeSession, resendAfterMs, timeText } from './views.ts';

/** A code that would have gone out. */
export interface SentCode {
  to: string;
  channel: string;
  code: string;
  sessionId: string;
  purpose: string;
  clientReference: string;
}

const text = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;
const whole = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

const mostSends = 5;

export class FakeSessions {
  readonly all: FakeSession[] = [];
  readonly sent: SentCode[] = [];
  /** Called after every change. */
  readonly watchers = new Set<() => void>();
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const session of this.all)
      if (session.status === 'pending' && session.expiresAtMs <= this.#nowMs)
        this.#end(session, 'expired', '', 'session_expired');
    this.#tell();
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  find(id: string): FakeSession | undefined {
    return this.all.find((session) => session.id === id);
  }

  latest(to: string, purpose: string): FakeSession | undefined {
    return this.all.filter((session) => session.to === to && session.purpose === purpose).at(-1);
  }

  /** A second send while a session is pending is a resend of the same code. Throws Refusal: not too often, nor too soon. */
  send(request: Json): FakeSession {
    const to = text(request.to);
    const purpose = text(request.purpose);
    const known = this.latest(to, purpose);
    const pending = known?.status === 'pending' ? this.#again(known, text(request.code)) : undefined;
    const session = pending ?? this.#open(request, to, purpose);
    session.sends += 1;
    session.lastSendAtMs = this.#nowMs;
    const { id, channel, code, clientReference } = session;
    this.sent.push({ to, channel, code, sessionId: id, purpose, clientReference });
    this.#note(session, session.sends === 1 ? 'session_opened' : 'resend_requested');
    this.#note(session, 'leg_started');
    this.#note(session, 'delivery_delivered');
    this.#tell();
    return session;
  }

  /** Why the code is not valid; empty where it is. */
  check(session: FakeSession, code: string): string {
    if (session.status === 'verified') return 'already_verified';
    if (session.status === 'failed') return 'too_many_attempts';
    if (session.status !== 'pending') return session.status;
    session.attemptsRemaining -= 1;
    this.#note(session, 'code_checked');
    const isRight = code === session.code;
    if (isRight) {
      session.verifiedAtMs = this.#nowMs;
      this.#end(session, 'verified', '', 'session_verified');
    } else if (session.attemptsRemaining === 0) this.#end(session, 'failed', 'too_many_attempts', 'session_failed');
    this.#tell();
    return isRight ? '' : 'incorrect_code';
  }

  cancel(session: FakeSession, reason: 'canceled_by_client' | 'reported_fraud' = 'canceled_by_client'): void {
    this.#end(session, 'canceled', reason, 'session_canceled');
    this.#tell();
  }

  reportVerified(session: FakeSession): void {
    session.verifiedAtMs = this.#nowMs;
    this.#end(session, 'verified', '', 'session_verified');
    this.#tell();
  }

  /** Undefined where the request brings another code: it opens a session of its own. */
  #again(session: FakeSession, code: string): FakeSession | undefined {
    const refuse = (code: ErrorCode, message: string, untilMs: number, details: Json = {}) => {
      const retryAfterSeconds = Math.ceil((untilMs - this.#nowMs) / 1000);
      return new Refusal(code, message, { details: { session_id: session.id, ...details }, retryAfterSeconds });
    };
    const resendAtMs = resendAfterMs(session);
    const isOther = code !== '' && code !== session.ownCode;
    if (!isOther && session.sends >= mostSends) {
      throw refuse('too_many_sends', 'the session has as many sends as it may have', session.expiresAtMs);
    }
    if (this.#nowMs < resendAtMs) {
      const resend_after = timeText(resendAtMs);
      throw refuse('resend_too_soon', 'a code was sent too recently', resendAtMs, { resend_after });
    }
    if (isOther) this.#end(session, 'canceled', 'superseded', 'session_canceled');
    return isOther ? undefined : session;
  }

  #open(request: Json, to: string, purpose: string): FakeSession {
    const ownCode = text(request.code);
    const code = ownCode || '0'.repeat(whole(request.code_length, 6));
    const legs = (request.cascade ?? []) as Json[];
    const channel = text(request.channel) || text(legs[0]?.channel, 'sms');
    const session: FakeSession = {
      id: `vrf_fake${String(this.all.length + 1).padStart(22, '0')}`,
      status: 'pending',
      statusReason: '',
      to,
      channel,
      cascade: legs.length > 0 ? legs : [{ channel, timeout_seconds: 15 }],
      purpose,
      language: text(request.language, 'ar'),
      senderId: text(request.sender_id),
      clientReference: text(request.client_reference),
      metadata: (request.metadata ?? {}) as Json,
      code,
      ownCode,
      codeLength: code.length,
      createdAtMs: this.#nowMs,
      expiresAtMs: this.#nowMs + whole(request.ttl_seconds, 600) * 1000,
      verifiedAtMs: undefined,
      sends: 0,
      lastSendAtMs: this.#nowMs,
      attemptsRemaining: 5,
      timeline: [],
    };
    this.all.push(session);
    return session;
  }

  #end(session: FakeSession, status: string, reason: string, kind: string): void {
    session.status = status;
    session.statusReason = reason;
    this.#note(session, kind);
  }

  #note(session: FakeSession, kind: string): void {
    session.timeline.push({ at: timeText(this.#nowMs), kind, run: session.sends, channel: session.channel });
  }

  #tell(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}
