// A small run in which every promise was kept: two plain sessions, one of them verified, and a silent one that timed out.
import type { Evidence } from '../../chaos/evidence.ts';
import type { Event } from '../../chaos/ledger.ts';
import type { Server } from '../../chaos/plan.ts';

const at = 1_700_000_000_000;

/** Fresh every time, to be tampered with. */
export function kept() {
  const message = (id: string, session_id: string, number: string) => ({
    id,
    session_id,
    number,
    operator: 'atlas',
    status: 'delivered',
    attempt: 1,
    reason: null as string | null,
    created_at: at,
    submitted_at: (at + 20) as number | null,
    cost: { amount: '3.50', final: true } as { amount: string; final: boolean } | null,
  });
  const session = (id: string, event_sequence: number) => ({
    id,
    event_sequence,
    created_at: at,
    expires_at: at + 60_000,
    legs: [{ timeoutMs: 5_000 }],
    timeline: [{ at, kind: 'session_opened' }] as { at: number; kind: string; messageId?: string; reason?: string }[],
  });
  const listed = (id: string, to: string, status: string) => ({
    id,
    to,
    status,
    total_cost: [{ currency: 'DZD', amount: '3.50', final: true }],
  });
  const event = (
    id: string,
    type: string,
    sessionId: string,
    sequence: number,
    change: Partial<Event> = {},
  ): Event => ({
    id,
    type,
    sessionId,
    sequence,
    messageId: '',
    status: '',
    cost: null,
    copies: 1,
    otherBodies: 0,
    at: at + 30,
    unverified: 0,
    digest: id,
    ...change,
  });
  const submitted = (n: number) => event(`e${n}`, 'message.submitted', `s${n}`, 1, { messageId: `m${n}` });
  const cost = { amount: '3.50', final: true, revision: 2 };
  const received = (n: number) =>
    event(`r${n}`, 'receipt.updated', `s${n}`, 2, { messageId: `m${n}`, status: 'DELIVRD', cost });
  const events = [
    submitted(1),
    received(1),
    event('v1', 'session.verified', 's1', 3),
    submitted(2),
    received(2),
    submitted(3),
  ];
  const sent = (n: number, to: string, kind: 'plain' | 'silent') => ({
    key: `k${n}`,
    to,
    purpose: '',
    kind,
    attempts: 1,
    ids: new Set([`s${n}`]),
  });
  return {
    sent: [sent(1, '+1', 'plain'), sent(2, '+2', 'plain'), sent(3, '+3', 'silent')],
    checked: [
      { sessionId: 's1', key: 'c1', correct: true as boolean, answers: [true] },
      { sessionId: 's1', key: 'c1-too', correct: true as boolean, answers: [false] },
    ],
    arrived: [1, 2, 3].map((n) => ({ to: `+${n}`, operator: 'atlas', code: `${n}${n}`, at })),
    events: new Map(events.map((each) => [each.id, each])),
    listed: [
      listed('s1', '+1', 'verified'),
      listed('s2', '+2', 'pending'),
      { ...listed('s3', '+3', 'pending'), total_cost: [{ currency: 'DZD', amount: '0', final: false }] },
    ],
    sessions: [
      session('s1', 3),
      session('s2', 2),
      { ...session('s3', 1), timeline: [{ at: at + 5_100, kind: 'leg_timed_out' }] },
    ],
    messages: [
      message('m1', 's1', '+1'),
      message('m2', 's2', '+2'),
      { ...message('m3', 's3', '+3'), status: 'submitted', cost: { amount: '0', final: false } },
    ],
    deliveries: events.map(({ id, sessionId }) => ({
      event_id: id,
      session_id: sessionId,
      status: 'delivered',
      created_at: at,
    })),
    firstSends: 1,
    parked: 0,
    prices: { atlas: '3.50' },
    allowedBinds: { atlas: 2 },
    peaks: [{ operator: 'atlas', unfrozen: 2, ever: 3, after: '' }],
    outages: [{ from: at + 61_000, to: at + 63_000 }],
    incidents: [{ at: at + 1_000, parts: ['a' as const], what: 'kill' as const }],
    changes: [
      { at, part: 'a' as const, up: true },
      { at, part: 'b' as const, up: true },
    ],
    tries: [{ key: 'k1', server: 'a' as Server, from: at, to: at + 20, status: 200 }],
    deaths: 0,
    leaseMs: 3_000,
    deliveryLeaseMs: 30_000,
    slackMs: 0,
  } satisfies Evidence;
}

export const startedAt = at;
