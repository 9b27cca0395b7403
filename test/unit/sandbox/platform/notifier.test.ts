// Webhooks of the platform's stand-in: which go out beside each other, and which wait.
import { expect, test } from 'vitest';
import { PlatformFaults } from '../../../../src/sandbox/platform/faults.ts';
import { Notifier } from '../../../../src/sandbox/platform/notifier.ts';
import type { Posted } from '../../../../src/sandbox/platform/subscriptions.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A customer's server that answers when it is told to. */
function slowReceiver() {
  const clock = new ManualClock();
  const posts: { told: string; answer(status: number): Promise<void> }[] = [];
  const post = (_: string, body: Buffer) =>
    new Promise<Posted>((resolve) => {
      const { entry } = JSON.parse(body.toString());
      const told = entry[0].changes[0].value.statuses.map((each: { told: string }) => each.told).join(' ');
      const answer = async (status: number) => {
        resolve({ kind: 'answered', status });
        await new Promise((done) => setImmediate(done));
      };
      posts.push({ told, answer });
    });
  const notifier = new Notifier({
    clock,
    poster: { post },
    faults: new PlatformFaults(),
    urlFor: () => 'http://x',
    retryMs: 10,
    maxAttempts: 3,
  });
  const notify = (wamid: string, word: string) => {
    const value = { metadata: { phone_number_id: '1' }, statuses: [{ told: `${wamid} ${word}` }] };
    void notifier.notify({ wabaId: '2', field: 'messages', value, at: 0, wamid });
  };
  return { clock, notifier, notify, posts, told: () => posts.map((each) => each.told) };
}

test('a status waits until the one before of the same message was answered; another message does not wait', async () => {
  const { notify, posts, told } = slowReceiver();
  notify('a', 'sent');
  notify('a', 'delivered');
  notify('b', 'sent');
  expect(told()).toEqual(['a sent', 'b sent']);
  await posts[1]?.answer(200);
  expect(told()).toEqual(['a sent', 'b sent']);
  await posts[0]?.answer(200);
  expect(told()).toEqual(['a sent', 'b sent', 'a delivered']);
});

test('a status that was refused holds nothing up: it comes again after its pause', async () => {
  const { clock, notify, posts, told, notifier } = slowReceiver();
  notify('a', 'sent');
  notify('a', 'delivered');
  await posts[0]?.answer(500);
  expect(told()).toEqual(['a sent', 'a delivered']);
  clock.advance(10);
  expect(told()).toEqual(['a sent', 'a delivered', 'a sent']);
  await posts[1]?.answer(200);
  await posts[2]?.answer(200);
  expect(notifier.waiting).toBe(0);
});
