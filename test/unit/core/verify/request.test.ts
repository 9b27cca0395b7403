// A send of the wire, settled: what is taken from the client, the account or the platform, and what is refused.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAsked } from '../../../../src/api/handlers/verify/send.ts';
import { verifySchema } from '../../../../src/config/service.ts';
import { readNumber, type SendingAccount, type SendSettings, settle } from '../../../../src/core/verify/request.ts';
import { scenarioNumbers } from '../../../../src/core/verify/scenarios.ts';
import type { Channel, Leg } from '../../../../src/core/verify/session.ts';
import { SendRequestSchema } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { autofillOf } from '../../../support/checks.ts';

type Wire = MessageInitShape<typeof SendRequestSchema>;

const account: SendingAccount = {
  language: 'fr',
  cascade: null,
  approvedSenders: new Map([['alpha', new Set(['MyShop'])]]),
  wording: { brand: null, texts: new Map() },
  autofill: new Map([
    ['https://shop.example', 'approved'],
    ['https://new.example', 'pending'],
    ['FA+9qCX9VSu', 'approved'],
  ]),
};
const settings = (verify: object = {}, change: Partial<SendSettings> = {}): SendSettings => ({
  verify: verifySchema.parse(verify),
  service: { homeCountry: null },
  operators: [
    { id: 'alpha', prefixes: ['+21355'] },
    { id: 'beta', prefixes: ['+21366'] },
  ],
  voice: null,
  sandbox: false,
  scenarioPrefix: '+21355',
  ...change,
});

interface Bend {
  mode?: 'live' | 'test';
  account?: Partial<SendingAccount>;
  settings?: SendSettings;
}

const to = '+213551234567';
function settled(request: Wire = {}, bend: Bend = {}) {
  const caller = { accountId: 'acct_1', keyId: 'key_1', mode: bend.mode ?? 'live' };
  const asked = toAsked(create(SendRequestSchema, { to, ...request } as Wire), caller);
  return settle(asked, { ...account, ...bend.account }, bend.settings ?? settings());
}
function done(request?: Wire, bend?: Bend) {
  const result = settled(request, bend);
  if (result.kind !== 'ok') throw new Error(`${result.code}: ${result.message}`);
  return result.request;
}
function refusal(request?: Wire, bend?: Bend): string {
  const result = settled(request, bend);
  return result.kind === 'refused' ? `${result.code} ${result.field}` : 'ok';
}

describe('a send with nothing but a number', () => {
  it('takes everything else from the account and the platform', () => {
    expect(done()).toEqual({
      accountId: 'acct_1',
      apiKeyId: 'key_1',
      mode: 'live',
      to,
      purpose: '',
      language: 'fr',
      code: null,
      codeLength: 6,
      ttlMs: 600_000,
      senderId: null,
      clientReference: '',
      metadata: null,
      autofill: {},
      wording: null,
      channel: null,
      asked: {},
      cascade: [
        { channel: 'sms', timeoutMs: 15_000 },
        { channel: 'whatsapp', timeoutMs: 15_000 },
        { channel: 'voice', timeoutMs: 45_000 },
      ],
    });
  });
});

describe('the number', () => {
  it('is written in E.164', () => {
    expect(done({ to: ' +213 551-23.45 67' }).to).toBe(to);
  });

  it.each(['0551234567', '+2135512', '+21321123456', 'me'])('%s is refused', (number) => {
    expect(refusal({ to: number })).toBe('invalid_phone_number to');
  });

  it('a national number is told with the form it would have had, where the home country is known', () => {
    const told = (homeCountry: string | null) => readNumber('0551234567', homeCountry);
    expect(told('DZ')).toMatchObject({ message: expect.stringMatching(/, e\.g\. \+213551234567$/) });
    expect(told(null)).toMatchObject({ message: expect.not.stringContaining('+213') });
  });

  it.each(['+213771234567', '+33612345678'])('%s is of no operator here', (number) => {
    expect(refusal({ to: number })).toBe('unsupported_destination to');
    expect(refusal({ to: number }, { mode: 'test' })).toBe('unsupported_destination to');
  });

  it('a number that only a trunk serves gets calls, and no sender name', () => {
    const withTrunk = { settings: settings({}, { voice: { trunks: [{ prefixes: ['+21377'] }] } }) };
    expect(refusal({ to: '+213771234567' }, withTrunk)).toBe('ok');
    expect(refusal({ to: '+213771234567', senderId: 'MyShop' }, withTrunk)).toBe('sender_id_not_approved sender_id');
    expect(refusal({ to: '+33612345678' }, withTrunk)).toBe('unsupported_destination to');
  });

  it.each(Object.values(scenarioNumbers('+21355')))('%s is for test keys, and for the sandbox', (number) => {
    expect(refusal({ to: number })).toBe('scenario_number to');
    expect(refusal({ to: number }, { mode: 'test' })).toBe('ok');
    expect(refusal({ to: number }, { settings: settings({}, { sandbox: true }) })).toBe('ok');
  });
});

describe('code length and life', () => {
  it.each([
    [{ codeLength: 5 }, 'code_length'],
    [{ codeLength: 11 }, 'code_length'],
    [{ ttlSeconds: 59 }, 'ttl_seconds'],
    [{ ttlSeconds: 601 }, 'ttl_seconds'],
  ])('%j is out of range', (request, field) => {
    expect(refusal(request)).toBe(`invalid_argument ${field}`);
  });

  it.each([{ codeLength: 6 }, { codeLength: 10 }, { ttlSeconds: 60 }, { ttlSeconds: 600 }])(
    '%j is in range',
    (request) => {
      expect(refusal(request)).toBe('ok');
    },
  );

  it('can be widened, and have other defaults', () => {
    const wide = settings({
      code_length: { min: 4, default: 4 },
      allow_short_codes: true,
      ttl_seconds: { max: 3600, default: 900 },
      allow_long_ttl: true,
    });
    expect(done({}, { settings: wide })).toMatchObject({ codeLength: 4, ttlMs: 900_000 });
    expect(done({ codeLength: 5, ttlSeconds: 3600 }, { settings: wide })).toMatchObject({
      codeLength: 5,
      ttlMs: 3_600_000,
      asked: { codeLength: 5, ttlMs: 3_600_000 },
    });
  });
});

describe('the sender name', () => {
  it('must be approved at the operator of the number', () => {
    expect(done({ senderId: 'MyShop' })).toMatchObject({ senderId: 'MyShop', asked: { senderId: 'MyShop' } });
    expect(refusal({ senderId: 'MyShop', to: '+213661234567' })).toBe('sender_id_not_approved sender_id');
    expect(refusal({ senderId: 'myshop' })).toBe('sender_id_not_approved sender_id');
    expect(refusal({ senderId: 'MyShop' }, { account: { approvedSenders: new Map() } })).toBe(
      'sender_id_not_approved sender_id',
    );
  });
});

describe('the cascade', () => {
  const channels = (request: Wire, bend?: Bend) => done(request, bend).cascade.map((leg) => leg.channel);
  const legs = (...names: string[]) => names.map((channel) => ({ channel }));

  it.each([
    ['sms', ['sms', 'whatsapp', 'voice']],
    ['whatsapp', ['whatsapp', 'voice']],
    ['voice', ['voice']],
  ])("begins at %s in the platform's", (channel, expected) => {
    expect(channels({ channel })).toEqual(expected);
    expect(done({ channel }).channel).toBe(channel);
  });

  it("is the account's where it has one", () => {
    const cascade: Leg[] = [
      { channel: 'whatsapp', timeoutMs: 20_000 },
      { channel: 'sms', timeoutMs: 30_000 },
    ];
    expect(done({}, { account: { cascade } }).cascade).toEqual(cascade);
    expect(done({ channel: 'sms' }, { account: { cascade } }).cascade).toEqual(cascade.slice(1));
    expect(done({ channel: 'voice' }, { account: { cascade } }).cascade).toEqual([
      { channel: 'voice', timeoutMs: 45_000 },
    ]);
  });

  it('can be given, with and without the channel it begins with', () => {
    const cascade = [{ channel: 'voice', timeoutSeconds: 30 }, { channel: 'sms' }];
    const expected = [
      { channel: 'voice', timeoutMs: 30_000 },
      { channel: 'sms', timeoutMs: 15_000 },
    ];
    expect(done({ cascade })).toMatchObject({ cascade: expected, channel: null, asked: { cascade: expected } });
    expect(done({ cascade, channel: 'voice' })).toMatchObject({ cascade: expected, channel: 'voice' });
    expect(refusal({ cascade, channel: 'sms' })).toBe('invalid_argument cascade[0].channel');
  });

  it('has no channel twice', () => {
    expect(refusal({ cascade: legs('sms', 'voice', 'sms') })).toBe('invalid_argument cascade[2].channel');
  });

  it.each([
    [4, 'invalid_argument cascade[1].timeout_seconds'],
    [5, 'ok'],
    [900, 'ok'],
    [901, 'invalid_argument cascade[1].timeout_seconds'],
  ])('waits %i s: %s', (timeoutSeconds, expected) => {
    expect(refusal({ cascade: [{ channel: 'sms' }, { channel: 'voice', timeoutSeconds }] })).toBe(expected);
  });

  it('keeps default timeouts in the range of the deployment', () => {
    const narrow = settings({
      timeout_seconds: { min: 20, max: 30 },
      cascade: [{ channel: 'sms', timeout_seconds: 25 }],
    });
    expect(done({ cascade: legs('sms', 'voice') }, { settings: narrow }).cascade).toEqual([
      { channel: 'sms', timeoutMs: 20_000 },
      { channel: 'voice', timeoutMs: 30_000 },
    ]);
    expect(done({ channel: 'voice' }, { settings: narrow }).cascade).toEqual([{ channel: 'voice', timeoutMs: 30_000 }]);
  });

  it('never repeats a channel, is never empty, and begins with the channel asked for', () => {
    const channel = fc.constantFrom<Channel>('sms', 'whatsapp', 'voice');
    const own = fc.option(fc.uniqueArray(channel, { minLength: 1 }).map((names) => legs(...names)));
    fc.assert(
      fc.property(fc.option(channel), own, fc.array(channel, { maxLength: 3 }), (asked, preset, given) => {
        const cascade = preset?.map((leg) => ({ channel: leg.channel as Channel, timeoutMs: 15_000 })) ?? null;
        const result = settled({ channel: asked ?? '', cascade: legs(...given) }, { account: { cascade } });
        if (result.kind === 'refused') return;
        const names = result.request.cascade.map((leg) => leg.channel);
        expect(names.length).toBeGreaterThan(0);
        expect(new Set(names).size).toBe(names.length);
        if (asked) expect(names[0]).toBe(asked);
        if (given.length > 0) expect(names).toEqual(given);
      }),
    );
  });
});

describe('the language', () => {
  it.each([
    ['', 'fr', 'sms', 'fr'],
    ['ar', 'fr', 'sms', 'ar'],
    ['en', 'fr', 'sms', 'en'],
    ['en', 'fr', 'voice', 'fr'],
    ['en', 'en', 'voice', 'ar'],
    ['', 'en', 'voice', 'ar'],
    ['ar', 'en', 'voice', 'ar'],
  ] as const)('asked %j, account %s, %s: %s', (asked, own, channel, expected) => {
    const request = done({ language: asked, cascade: [{ channel }] }, { account: { language: own } });
    expect(request.language).toBe(expected);
    expect(request.asked.language).toBe(asked || undefined);
    expect(request.asked.spoken).toBe(asked === 'en' ? { fr: 'fr', en: 'ar' }[own] : undefined);
  });
});

describe('autofill', () => {
  it.each([
    [{ androidAppHash: 'FA+9qCX9VSu' }, 'ok'],
    [{ webOrigin: 'https://shop.example' }, 'ok'],
    [{ webOrigin: 'SHOP.example' }, 'ok'],
    [{ webOrigin: 'new.example' }, 'autofill_not_registered autofill.web_origin'],
    [{ webOrigin: 'https://www.shop.example' }, 'autofill_not_registered autofill.web_origin'],
    [{ webOrigin: 'shop.example.evil.example' }, 'autofill_not_registered autofill.web_origin'],
    [{ androidAppHash: 'fA+9qCX9VSu' }, 'autofill_not_registered autofill.android_app_hash'],
    [{ webOrigin: 'http://shop.example' }, 'invalid_argument autofill.web_origin'],
    [{ webOrigin: `${'a'.repeat(40)}.example` }, 'invalid_argument autofill.web_origin'],
    [{ androidAppHash: 'short' }, 'invalid_argument autofill.android_app_hash'],
    [{}, 'ok'],
  ])('%j: %s', (autofill, expected) => {
    expect(refusal({ autofill: autofillOf(autofill) })).toBe(expected);
  });

  it('says whether the operator of the service has to do something', () => {
    const message = (webOrigin: string) => {
      const result = settled({ autofill: autofillOf({ webOrigin }) });
      return result.kind === 'refused' ? result.message : 'ok';
    };
    expect(message('new.example')).toContain('waits for the approval');
    expect(message('other.example')).toContain('is not registered');
  });

  it('may be anything well-formed with a test key', () => {
    expect(refusal({ autofill: autofillOf({ webOrigin: 'other.example' }) }, { mode: 'test' })).toBe('ok');
    expect(refusal({ autofill: autofillOf({ webOrigin: 'http://x' }) }, { mode: 'test' })).toBe(
      'invalid_argument autofill.web_origin',
    );
  });

  it('is what a resend may not contradict', () => {
    const asked = { androidAppHash: 'FA+9qCX9VSu' };
    expect(done({ autofill: autofillOf(asked) })).toMatchObject({ autofill: asked, asked });
  });
});

it('explicit values are asked for even where they are the defaults', () => {
  const own = { clientReference: 'order-1', metadata: { cart: '8812' } };
  const explicit = { codeLength: 6, ttlSeconds: 600, language: 'fr', ...own };
  expect(done(explicit).asked).toEqual({ codeLength: 6, ttlMs: 600_000, language: 'fr', ...own });
});

describe("the caller's own code", () => {
  const allowed = { settings: settings({ allow_custom_code: true }) };

  it('is refused where the deployment does not take it', () => {
    expect(refusal({ code: '0426' })).toBe('custom_code_not_allowed code');
    expect(refusal({ code: '0426' }, { mode: 'test' })).toBe('custom_code_not_allowed code');
  });

  it('has its own length, whatever the deployment asks of the codes that are made here', () => {
    expect(done({ code: '0426' }, allowed)).toMatchObject({ code: '0426', codeLength: 4, asked: {} });
    expect(done({ code: '0123456789' }, allowed)).toMatchObject({ codeLength: 10 });
    expect(done({ code: '0426', codeLength: 4 }, allowed)).toMatchObject({ codeLength: 4 });
    expect(refusal({ code: '0426', codeLength: 6 }, allowed)).toBe('invalid_argument code_length');
    expect(done({}, allowed)).toMatchObject({ code: null, codeLength: 6 });
  });
});
