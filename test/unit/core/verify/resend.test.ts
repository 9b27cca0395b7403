import { describe, expect, it } from 'vitest';
import type { AskedAgain } from '../../../../src/core/verify/event.ts';
import { resendAfterOf } from '../../../../src/core/verify/resend.ts';
import { defaultRules } from '../../../../src/core/verify/rules.ts';
import { Story, wholeCascade } from '../../../support/session.ts';

const [sms, whatsapp, voice] = wholeCascade as [
  (typeof wholeCascade)[0],
  (typeof wholeCascade)[0],
  (typeof wholeCascade)[0],
];

/** A session whose SMS was delivered at once. */
function delivered(change: ConstructorParameters<typeof Story>[0] = {}): Story {
  const story = new Story(change).accept();
  story.receipt('DELIVRD');
  return story;
}

describe('a second send', () => {
  it('starts a new run of the same session on the next leg', () => {
    const story = delivered();
    story.clock = 30_000;
    expect(story.resend()).toEqual({ kind: 'resent' });
    expect(story.session).toMatchObject({ id: 'vrf_1', run: 2, sends: 2, position: 0, delivery: 'sending' });
    expect(story.session).toMatchObject({ expiresAt: 600_000, legs: [whatsapp, voice], legEndsAt: 45_000 });
    expect(story.last).toMatchObject({ run: 2, position: 0, channel: 'whatsapp', status: 'queued' });
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_2', route: 'whatsapp/atlas' }]);
  });

  it('opens a new session for another code of the caller, as late as it would be a resend', () => {
    const story = delivered({ request: { sealedCode: 'sealed' } });
    const other = () => story.do({ kind: 'resend', channel: null, asked: { codeLength: 8 }, otherCode: true });
    story.clock = 29_999;
    expect(other()).toEqual({ kind: 'resend_too_soon', resendAfter: 30_000 });
    story.clock = 30_000;
    expect(other()).toEqual({ kind: 'open_new', reason: 'superseded' });
    expect(story.session).toMatchObject({ status: 'pending', sealedCode: 'sealed', run: 1 });
    expect(story.do({ kind: 'cancel', reason: 'superseded' })).toEqual({ kind: 'done' });
    expect(story.session).toMatchObject({ status: 'canceled', statusReason: 'superseded', sealedCode: '' });
    expect(other()).toEqual({ kind: 'open_new', reason: 'replaced' });
  });

  it('takes back what of the old run is still queued, and its deadline', () => {
    const story = new Story();
    story.deadlineAt(15_000);
    story.deadlineAt(29_999);
    story.clock = 30_000;
    story.resend('sms');
    expect(story.statuses).toEqual(['sms withdrawn', 'whatsapp withdrawn', 'sms queued']);
    expect(story.deadlineAt(30_001)).toMatchObject({ kind: 'ignored' });
  });

  it('goes where the client says: from that leg of the cascade on, or that channel alone', () => {
    const story = delivered({ request: { cascade: [sms, whatsapp] } });
    story.clock = 30_000;
    story.resend('sms');
    expect(story.session.legs).toEqual([sms, whatsapp]);
    story.clock = 60_000;
    story.resend('voice');
    expect(story.session.legs).toEqual([{ channel: 'voice', timeoutMs: 45_000 }]);
  });

  it('gives such a channel no longer than a leg may last', () => {
    const story = delivered({ request: { cascade: [sms] }, rules: { legMs: { min: 5_000, max: 20_000 } } });
    story.clock = 30_000;
    story.resend('voice');
    expect(story.session.legs).toEqual([{ channel: 'voice', timeoutMs: 20_000 }]);
  });

  it('begins the cascade again past its end', () => {
    const story = delivered({ request: { cascade: [sms] } });
    story.clock = 30_000;
    expect(story.resend()).toEqual({ kind: 'resent' });
    expect(story.last.channel).toBe('sms');
  });

  it('begins the cascade again where nothing behind the last leg can be used', () => {
    const story = delivered({ skip: { whatsapp: 'channel_not_configured', voice: 'channel_not_configured' } });
    story.clock = 30_000;
    expect(story.resend()).toEqual({ kind: 'resent' });
    expect(story.last).toMatchObject({ channel: 'sms', run: 2 });
    expect(story.session.legs).toEqual(wholeCascade);
  });

  it('is refused where no leg can be used, and the run under way goes on', () => {
    const story = new Story().accept();
    story.skip = { sms: 'no_operator', whatsapp: 'in_country_only', voice: 'channel_not_configured' };
    story.clock = 30_000;
    const held = story.session;
    expect(story.resend('voice')).toEqual({ kind: 'no_route', reason: 'channel_not_configured' });
    expect(story.resend()).toMatchObject({ kind: 'no_route' });
    // Each reason once, as of a first send.
    story.skip = { sms: 'no_operator', whatsapp: 'channel_not_configured', voice: 'channel_not_configured' };
    expect(story.resend()).toEqual({ kind: 'no_route', reason: 'no_operator, channel_not_configured' });
    expect(story.session).toBe(held);
  });

  it('is too soon within 30 s, but at once when the run is exhausted', () => {
    const story = delivered();
    story.clock = 29_999;
    expect(story.resend()).toEqual({ kind: 'resend_too_soon', resendAfter: 30_000 });
    expect(story.session.run).toBe(1);
    const exhausted = new Story({ request: { cascade: [sms] } });
    exhausted.reject();
    expect(exhausted.session.delivery).toBe('exhausted');
    expect(resendAfterOf(exhausted.session, defaultRules, exhausted.clock)).toBe(0);
    expect(exhausted.resend()).toEqual({ kind: 'resent' });
  });

  it('does not wait for as long as the clock was set back by, whatever became of the last run', () => {
    const ended = new Story({ request: { cascade: [sms] } });
    ended.reject();
    for (const story of [delivered(), ended]) {
      story.clock = -3_600_000 + 31_000;
      expect(resendAfterOf(story.session, defaultRules, story.clock)).toBe(story.clock);
      expect(story.resend()).toEqual({ kind: 'resent' });
    }
    const again = delivered();
    again.clock = -3_600_000;
    expect(again.resend()).toEqual({ kind: 'resent' });
    expect(again.resend()).toEqual({ kind: 'resend_too_soon', resendAfter: again.clock + 30_000 });
  });

  it('is too soon at a host whose clock is a little behind that of the one that sent, too', () => {
    const story = delivered();
    story.clock = -1_000;
    expect(story.resend()).toEqual({ kind: 'resend_too_soon', resendAfter: 30_000 });
  });

  it('exhausts its own run, and is told so again', () => {
    const story = new Story({ request: { cascade: [sms] } });
    story.reject();
    story.resend();
    story.reject();
    expect(story.told.filter((type) => type === 'session.delivery_exhausted')).toHaveLength(2);
    expect(story.session).toMatchObject({ run: 2, delivery: 'exhausted' });
  });

  it('happens at most four times after the first', () => {
    const story = delivered();
    for (let n = 1; n <= 4; n += 1) {
      story.clock = n * 30_000;
      expect(story.resend()).toEqual({ kind: 'resent' });
    }
    story.clock = 150_000;
    expect(story.resend()).toEqual({ kind: 'too_many_sends' });
    expect(resendAfterOf(story.session, defaultRules, story.clock)).toBeNull();
  });

  it('leaves the tries as they are', () => {
    const story = delivered();
    story.do({ kind: 'check', correct: false });
    story.clock = 30_000;
    story.resend();
    expect(story.session).toMatchObject({ attempts: 1, codeLength: 6, keyId: 'k1' });
  });
});

it('that is done once more, under its own id, changes nothing and says so', () => {
  const story = delivered();
  story.clock = 30_000;
  const once = () => story.do({ kind: 'resend', channel: null, asked: {}, operation: 'op1' });
  expect(once()).toEqual({ kind: 'resent' });
  const { session } = story;
  expect(once()).toEqual({ kind: 'resent', again: true });
  expect(story.session).toBe(session);
});

describe('with under 60 s left', () => {
  it('a new session is opened', () => {
    const story = delivered();
    story.clock = 540_000;
    expect(story.resend()).toEqual({ kind: 'resent' });
    story.clock = 570_001;
    expect(story.resend()).toMatchObject({ kind: 'open_new' });
  });

  it('the sends are spaced all the same: a double click does not replace the code in flight', () => {
    const story = new Story({ request: { ttlMs: 60_000 } }).accept();
    story.clock = 5;
    expect(story.resend()).toEqual({ kind: 'resend_too_soon', resendAfter: 30_000 });
    story.clock = 30_000;
    expect(story.resend()).toMatchObject({ kind: 'open_new' });
  });

  it.each(['check', 'cancel'] as const)('or none, after a %s, too', (kind) => {
    const story = delivered();
    story.do(kind === 'check' ? { kind, correct: true } : { kind, reason: 'replaced' });
    expect(story.resend()).toMatchObject({ kind: 'open_new' });
  });

  it('or none at all, the old one has expired first', () => {
    const story = delivered();
    story.clock = 600_000;
    expect(story.resend()).toMatchObject({ kind: 'open_new' });
    expect(story.session.status).toBe('expired');
    expect(story.told.at(-1)).toBe('session.expired');
  });
});

describe('a second send that says something else', () => {
  const change: [string, AskedAgain][] = [
    ['language', { language: 'fr' }],
    ['code_length', { codeLength: 8 }],
    ['ttl_seconds', { ttlMs: 300_000 }],
    ['sender_id', { senderId: 'Shop' }],
    ['cascade', { cascade: [sms] }],
    ['cascade', { cascade: [sms, whatsapp, { ...voice, timeoutMs: 20_000 }] }],
    ['client_reference', { clientReference: 'order 7' }],
    ['metadata.order', { metadata: { order: '7' } }],
    ['autofill.android_app_hash', { androidAppHash: 'FA+9qCX9VSu' }],
    ['autofill.web_origin', { webOrigin: 'https://shop.example' }],
  ];
  it.each(change)('about %s is refused: %j', (field, asked) => {
    const story = delivered();
    story.clock = 30_000;
    const held = story.session;
    expect(story.do({ kind: 'resend', channel: null, asked })).toEqual({ kind: 'resend_differs', field });
    expect(story.session).toBe(held);
  });

  it('the same explicitly is not something else', () => {
    const story = delivered();
    story.clock = 30_000;
    const cascade = wholeCascade.map(({ channel, timeoutMs }) => ({ timeoutMs, channel }));
    const asked = { language: 'ar', codeLength: 6, ttlMs: 600_000, senderId: '', cascade, clientReference: '' };
    expect(story.do({ kind: 'resend', channel: 'sms', asked })).toEqual({ kind: 'resent' });
  });

  it.each([
    ['en', wholeCascade, 'voice', 'resent'],
    ['en', [voice], 'voice', 'resent'],
    ['fr', [voice], null, 'resent'],
    ['fr', wholeCascade, 'voice', 'resent'],
    ['fr', wholeCascade, null, 'resend_differs'],
    ['ar', wholeCascade, 'voice', 'resend_differs'],
    ['ar', [voice], null, 'resend_differs'],
    // Behind the last leg of a cascade it begins again: what goes out is a text.
    ['fr', [sms], null, 'resend_differs'],
    ['fr', [voice, sms], 'sms', 'resend_differs'],
    ['fr', [voice], 'sms', 'resend_differs'],
  ] as const)(
    'nor is English, which no call speaks: a session in %s by %j, a resend by %s is %s',
    (language, cascade, channel, kind) => {
      const story = new Story({ request: { language, cascade: [...cascade] } });
      story.clock = 30_000;
      const asked = { language: 'en', spoken: 'fr' };
      expect(story.do({ kind: 'resend', channel, asked })).toMatchObject({ kind });
    },
  );

  it('nor does English pass where the calls behind the last leg can not be made, and a text goes out again', () => {
    const story = delivered({ request: { language: 'fr', cascade: [sms, voice] } });
    story.clock = 30_000;
    story.skip = { voice: 'channel_down' };
    const asked = { language: 'en', spoken: 'fr' };
    expect(story.do({ kind: 'resend', channel: null, asked })).toEqual({ kind: 'resend_differs', field: 'language' });
    story.skip = {};
    expect(story.do({ kind: 'resend', channel: null, asked })).toEqual({ kind: 'resent' });
    expect(story.last.channel).toBe('voice');
  });

  it.each([
    ['another value', { a: '1', b: '3' }, 'b'],
    ['a key more', { a: '1', b: '2', c: '3' }, 'c'],
    ['a key less', { b: '2' }, 'a'],
  ])('metadata with %s is refused by that key', (_, metadata, key) => {
    const story = delivered({ request: { metadata: { b: '2', a: '1' } } });
    story.clock = 30_000;
    const asked = (again: Record<string, string>) =>
      story.do({ kind: 'resend', channel: null, asked: { metadata: again } });
    expect(asked(metadata)).toEqual({ kind: 'resend_differs', field: `metadata.${key}` });
    expect(asked({ a: '1', b: '2' })).toEqual({ kind: 'resent' });
  });

  it('nor is the same site in another spelling', () => {
    const story = delivered();
    story.clock = 30_000;
    story.session = { ...story.session, autofill: { webOrigin: 'https://shop.example' } };
    const asked = (webOrigin: string) => story.do({ kind: 'resend', channel: null, asked: { webOrigin } });
    expect(asked('other.example')).toEqual({ kind: 'resend_differs', field: 'autofill.web_origin' });
    expect(asked('Shop.example')).toEqual({ kind: 'resent' });
  });
});
