// What an answer means for the delivery and its endpoint, and what a request looks like.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signingKey } from '../../../../src/core/webhooks/signature.ts';
import { accountEventBody } from '../../../../src/engine/webhooks/account-events.ts';
import { disableReason, judge, noAnswerText } from '../../../../src/engine/webhooks/outcome.ts';
import { signedPost } from '../../../../src/engine/webhooks/poster.ts';

const now = Date.UTC(2026, 2, 1);
const context = { attempts: 0, now, jitter: 0, timeoutMs: 15_000 };
const answered = (status: number, retryAfter?: string) => ({ kind: 'answered' as const, status, retryAfter });

describe('judge', () => {
  it.each([200, 201, 204, 299])('%i is delivered', (status) =>
    expect(judge(answered(status), context)).toEqual({
      status: 'delivered',
      nextAt: null,
      lastStatus: status,
      lastError: null,
    }),
  );

  it.each([
    [301, 'the endpoint answered 301; redirects are not followed'],
    [307, 'the endpoint answered 307; redirects are not followed'],
    [400, 'the endpoint answered 400'],
    [410, 'the endpoint answered 410'],
    [500, 'the endpoint answered 500'],
  ])('%i is tried again after 5 s', (status, lastError) =>
    expect(judge(answered(status), context)).toEqual({
      status: 'pending',
      nextAt: now + 5_000,
      lastStatus: status,
      lastError,
    }),
  );

  it('so is no answer at all', () => {
    expect(judge({ kind: 'no_answer', reason: 'timeout' }, { ...context, attempts: 1 })).toEqual({
      status: 'pending',
      nextAt: now + 300_000,
      lastStatus: null,
      lastError: 'no complete answer within 15 s',
    });
  });

  it('Retry-After lengthens the wait and never shortens it', () => {
    expect(judge(answered(503, '120'), context).nextAt).toBe(now + 120_000);
    expect(judge(answered(429, new Date(now + 60_000).toUTCString()), context).nextAt).toBe(now + 60_000);
    expect(judge(answered(503, '1'), { ...context, attempts: 1 }).nextAt).toBe(now + 300_000);
    expect(judge(answered(503, 'soon'), context).nextAt).toBe(now + 5_000);
  });

  it('after the tenth attempt there is none', () => {
    expect(judge(answered(500), { ...context, attempts: 8 }).status).toBe('pending');
    expect(judge(answered(500), { ...context, attempts: 9 })).toMatchObject({ status: 'failed', nextAt: null });
    // A redelivery by hand, after that.
    expect(judge(answered(500), { ...context, attempts: 10 })).toMatchObject({ status: 'failed', nextAt: null });
  });

  it('never tells an address', () =>
    expect(noAnswerText('target_refused', 1)).toBe(
      'its address is not one that webhooks may go to (https, public, port 443 or from 1024 on)',
    ));
});

describe('disableReason', () => {
  const day = 86_400_000;
  const eventAt = now - day;
  it.each([
    [{ status: 410, failingSince: null, attempt: 1 }, 'gone'],
    [{ status: 500, failingSince: null, attempt: 10 }, null],
    [{ status: null, failingSince: now - 5 * day + 1, attempt: 10 }, null],
    [{ status: null, failingSince: now - 5 * day, attempt: 5 }, 'failing'],
    [{ status: 500, failingSince: now - day, attempt: 5, maxFailingMs: day }, 'failing'],
    // The failure before it was weeks ago: this event is the first since.
    [{ status: 502, failingSince: now - 20 * day, attempt: 1 }, null],
    [{ status: 502, failingSince: now - 20 * day, attempt: 4 }, null],
    [{ status: 502, failingSince: now - 20 * day, attempt: 5 }, 'failing'],
    [{ status: 502, failingSince: now - 20 * day, attempt: 10, eventAt: now - 9.5 * day }, 'failing'],
    // A redelivery by hand, after the ten attempts, or long after those that there were.
    [{ status: 502, failingSince: now - 20 * day, attempt: 11 }, null],
    [{ status: 502, failingSince: now - 20 * day, attempt: 7, eventAt: now - 8 * day }, null],
  ])('%j', (failure, reason) => expect(disableReason({ now, eventAt, ...failure })).toBe(reason));
});

describe('requests', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const older = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
  const body = accountEventBody('evt_1', {
    type: 'endpoint.disabled',
    accountId: 'acct_1',
    mode: 'test',
    at: now,
    data: { name: 'رمز' },
  });

  it('verify with the reference library, with either of two live secrets and no other', () => {
    const { headers } = signedPost({
      url: 'x',
      eventId: 'evt_1',
      body,
      keys: [secret, older].map(signingKey),
      now: Date.now(),
    });
    for (const each of [secret, older]) {
      expect(new Webhook(each).verify(body, headers)).toMatchObject({
        id: 'evt_1',
        test: true,
        session_sequence: 0,
        timestamp: '2026-03-01T00:00:00.000Z',
      });
    }
    const stranger = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
    expect(() => new Webhook(stranger).verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  });

  it('say who sends them', () => {
    const { headers } = signedPost({ url: 'x', eventId: 'evt_1', body, keys: [signingKey(secret)], now });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Ramz-Webhooks/1',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now / 1000),
    });
  });
});
