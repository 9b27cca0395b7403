// Scripted statuses: copies of one are the same to the letter, whatever the clock does between two posts.
import { describe, expect, test } from 'vitest';
import type { PhoneNumber } from '../../../../src/sandbox/platform/accounts.ts';
import type { Change } from '../../../../src/sandbox/platform/notifier.ts';
import { type SentMessage, Statuses } from '../../../../src/sandbox/platform/statuses.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const message: SentMessage = {
  wamid: 'wamid.1',
  to: '+213551234567',
  opaque: undefined,
  acceptedAt: 0,
  priced: null,
  phone: { id: '1', wabaId: '2', number: '+213550009900' } as PhoneNumber,
};

/** A platform whose every post takes `postMs`. */
function platform(postMs: number) {
  const clock = new ManualClock();
  const posted: Change[] = [];
  const notify = async (change: Change) => {
    posted.push(change);
    clock.advance(postMs);
    return true;
  };
  const statuses = new Statuses(clock, { notify });
  return { clock, statuses, posted, timestamps: () => posted.map(({ value }) => stampOf(value)) };
}

const stampOf = (value: Record<string, unknown>) => (value.statuses as { timestamp: string }[])[0]?.timestamp;

describe('a script', () => {
  test('gives all copies of a status one timestamp, though a second ends between their posts', async () => {
    const { clock, statuses, posted, timestamps } = platform(1_000);
    clock.advance(999);
    await statuses.playScript(message, { statuses: ['read'], copies: 3 });
    expect(timestamps()).toEqual(['0', '0', '0']);
    expect(posted[1]).toEqual(posted[0]);
    expect(posted[2]).toEqual(posted[0]);
  });

  test('gives each status the time of its turn', async () => {
    const { statuses, timestamps } = platform(1_000);
    await statuses.playScript(message, { statuses: ['delivered', 'read'], copies: 2 });
    expect(timestamps()).toEqual(['0', '0', '2', '2']);
  });
});
