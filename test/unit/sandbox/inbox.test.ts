import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Inbox, type InboxMessage } from '../../../src/sandbox/inbox.ts';

const message = (to: string, text: string, channel = 'sms'): InboxMessage => ({
  channel,
  from: 'Ramz',
  to,
  text,
  operator: 'atlas',
  received_at: '2026-01-01T00:00:00.000Z',
});

test('whatever came, it lists the newest ones, newest first, by number and channel', () => {
  const limit = 7;
  const arrivals = fc.array(
    fc.record({ to: fc.constantFrom('+1', '+2', '+3'), channel: fc.constantFrom('sms', 'voice') }),
  );
  fc.assert(
    fc.property(arrivals, fc.nat(10), (list, wanted) => {
      const inbox = new Inbox(limit);
      const sent = list.map(({ to, channel }, index) => message(to, String(index), channel));
      for (const each of sent) inbox.add(each);
      const kept = sent.slice(-limit).reverse();
      expect(inbox.list()).toEqual(kept);
      expect(inbox.size).toBe(kept.length);
      expect(inbox.list({ limit: wanted })).toEqual(kept.slice(0, wanted));
      for (const to of ['+1', '+2', '+3']) {
        expect(inbox.list({ to, channel: 'sms' })).toEqual(kept.filter((m) => m.to === to && m.channel === 'sms'));
      }
      inbox.clear();
      expect(inbox.list()).toEqual([]);
      expect(inbox.list({ to: '+1' })).toEqual([]);
    }),
  );
});
