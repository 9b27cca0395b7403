import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Feed, type SandboxEvent } from '../../../src/sandbox/feed.ts';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import type { InboxMessage } from '../../../src/sandbox/views.ts';

const message = (to: string, text: string, channel = 'sms'): Omit<InboxMessage, 'id'> => ({
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
      const sent = list.map(({ to, channel }, index) => inbox.add(message(to, String(index), channel)));
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

test('announces what arrives, what reads otherwise later, and that it was cleared', () => {
  const feed = new Feed();
  const inbox = new Inbox(2, feed);
  const events: SandboxEvent[] = [];
  const deaf = feed.listen((event) => events.push(structuredClone(event)));
  const [old, first, second] = ['old', 'first', 'second'].map((text) => inbox.add(message('+1', text)));
  inbox.reword(first!, 'first, and more');
  inbox.reword(first!, 'first, and more');
  inbox.reword(old!, 'no longer kept');
  inbox.clear();
  deaf();
  inbox.add(message('+1', 'unheard'));
  expect(events.map(({ name, data }) => [name, (data as { text?: string }).text])).toEqual([
    ['message', 'old'],
    ['message', 'first'],
    ['message', 'second'],
    ['message', 'first, and more'],
    ['cleared', undefined],
  ]);
  const ids = [old!.id, first!.id, second!.id];
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(3);
  expect(inbox.list()[0]?.id.localeCompare(second!.id)).toBe(1);
});
