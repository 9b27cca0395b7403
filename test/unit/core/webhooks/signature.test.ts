import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, sign, signingKey, verify } from '../../../../src/core/webhooks/signature.ts';

const secret = newWebhookSecret(Buffer.alloc(24, 1));
const other = newWebhookSecret(Buffer.alloc(24, 2));
const nowSeconds = 1_700_000_000;
const content = { id: 'evt_1', timestampSeconds: nowSeconds, body: '{"type":"receipt.updated"}' };
const received = (signature: string) => ({
  id: content.id,
  timestamp: String(nowSeconds),
  body: content.body,
  signature,
  secrets: [secret],
  nowSeconds,
});

describe('sign', () => {
  it('agrees with the reference library, whatever the body', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 24 }),
        fc.stringMatching(/^[a-z0-9_]{1,30}$/),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        fc.string({ unit: 'grapheme' }),
        (random, id, timestampSeconds, body) => {
          const own = newWebhookSecret(random);
          const theirs = new Webhook(own).sign(id, new Date(timestampSeconds * 1000), body);
          expect(sign({ id, timestampSeconds, body, keys: [signingKey(own)] })).toBe(theirs);
          expect(sign({ id, timestampSeconds, body: Buffer.from(body), keys: [signingKey(own)] })).toBe(theirs);
        },
      ),
    );
  });

  it('is accepted by the reference library, also while a secret rotates', () => {
    const timestampSeconds = Math.floor(Date.now() / 1000); // the library reads the clock itself
    const headers = {
      'webhook-id': content.id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ ...content, timestampSeconds, keys: [secret, other].map(signingKey) }),
    };
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    for (const one of [secret, other]) {
      expect(new Webhook(one).verify(content.body, headers)).toEqual({ type: 'receipt.updated' });
    }
  });

  it('refuses a secret that is none, without repeating it', () => {
    for (const bad of ['', 'whsec_', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_!!!!', 'whsec_AAAA']) {
      expect(() => signingKey(bad)).toThrow('not a webhook secret');
    }
  });
});

describe('verify', () => {
  const signature = sign({ ...content, keys: [signingKey(secret)] });

  it('takes any matching signature under any secret', () => {
    expect(verify(received(signature))).toEqual({ kind: 'valid' });
    expect(verify(received(`v1a,xyz v1,AAAA ${signature}`))).toEqual({ kind: 'valid' });
    expect(verify({ ...received(signature), secrets: [other, secret] })).toEqual({ kind: 'valid' });
  });

  it('takes what the reference library signed', () => {
    const theirs = new Webhook(secret).sign(content.id, new Date(nowSeconds * 1000), content.body);
    expect(verify(received(theirs))).toEqual({ kind: 'valid' });
  });

  it.each([
    ['another body', { body: `${content.body} ` }],
    ['another id', { id: 'evt_2' }],
    ['another time', { timestamp: String(nowSeconds + 1) }],
    ['another secret', { secrets: [other] }],
    ['no secret', { secrets: [] }],
    ['another version', { signature: signature.replace('v1,', 'v2,') }],
    ['no signature', { signature: '' }],
    ['a cut signature', { signature: signature.slice(0, -4) }],
  ])('does not match %s', (_, change) => {
    expect(verify({ ...received(signature), ...change })).toEqual({ kind: 'invalid', reason: 'no_match' });
  });

  it('minds the time, both ways', () => {
    const at = (now: number) => verify({ ...received(signature), nowSeconds: now });
    expect(at(nowSeconds + 300)).toEqual({ kind: 'valid' });
    expect(at(nowSeconds - 300)).toEqual({ kind: 'valid' });
    expect(at(nowSeconds + 301)).toEqual({ kind: 'invalid', reason: 'too_old' });
    expect(at(nowSeconds - 301)).toEqual({ kind: 'invalid', reason: 'too_new' });
  });

  it.each([{ timestamp: '' }, { timestamp: 'now' }, { timestamp: '1.7e9' }, { id: '' }])(
    'finds %j malformed',
    (change) => {
      expect(verify({ ...received(signature), ...change })).toEqual({ kind: 'invalid', reason: 'malformed' });
    },
  );
});

describe('newWebhookSecret', () => {
  it('is whsec_ and base64 of 24 bytes', () => {
    expect(newWebhookSecret(randomBytes(24))).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(() => newWebhookSecret(randomBytes(23))).toThrow(RangeError);
  });
});

it('has no verdict with a tolerance or a clock that is none', () => {
  const webhook = { ...received(sign({ ...content, keys: [signingKey(secret)] })), timestamp: '0' };
  for (const toleranceSeconds of [Number.NaN, Number.POSITIVE_INFINITY, -1])
    expect(() => verify({ ...webhook, toleranceSeconds })).toThrow(RangeError);
  expect(() => verify({ ...webhook, nowSeconds: Number.NaN })).toThrow(RangeError);
});
