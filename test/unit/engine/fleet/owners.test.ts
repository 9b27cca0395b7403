// Where a process is reached is said again when it was lost: nobody gives shards to one that has no address.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Conversation } from '../../../../src/engine/fleet/conversation.ts';
import type { FleetEvents } from '../../../../src/engine/fleet/members.ts';
import { Owners } from '../../../../src/engine/fleet/owners.ts';
import { until } from '../../../support/wait.ts';

const self = 'prc_1';

async function process() {
  const stored: { address: string | null; isAway: boolean } = { address: null, isAway: false };
  const events = new EventEmitter<FleetEvents>();
  const errors: unknown[] = [];
  const givenUp: string[] = [];
  const owners = new Owners({
    db: {
      announcePeer: async (_, address) => {
        if (stored.isAway) throw new Error('the database is away');
        stored.address = address;
      },
      readShards: async () => ({
        fence: 1,
        ranges: [],
        live: [self],
        peers: stored.address === null ? [] : [{ processId: self, address: stored.address }],
      }),
      moveShards: async () => true,
    },
    fleet: { processId: self, events, now: Date.now },
    conversation: { serve: () => {} } as unknown as Conversation,
    log: { error: (fields) => errors.push(fields) },
  });
  const giveUp = (processIds: readonly string[]) => void givenUp.push(...processIds);
  await owners.begin('10.0.0.1:7000', { meet: () => {}, giveUp, reachable: [] });
  return { owners, stored, events, errors, givenUp };
}

test('an address that could not be stored when the process was back is stored by a later look', async () => {
  const { owners, stored, events, errors } = await process();
  stored.address = null; // The row was deleted, an hour after the end of its lease.
  stored.isAway = true;
  events.emit('back');
  await until(() => errors.length === 1, { what: 'the failure' });
  stored.isAway = false;
  for (let ticks = 0; ticks < 10; ticks += 1) await owners.tick();
  expect(stored.address).toBe('10.0.0.1:7000');
});

test('nothing waits for a process whose lease has ended', async () => {
  const { events, givenUp } = await process();
  events.emit('gone', ['prc_2', 'prc_3']);
  expect(givenUp).toEqual(['prc_2', 'prc_3']);
});

test('a process that leaves stays without an address', async () => {
  const { owners, stored } = await process();
  await owners.leave();
  for (let ticks = 0; ticks < 10; ticks += 1) await owners.tick();
  expect(stored.address).toBeNull();
});
