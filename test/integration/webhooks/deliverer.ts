// A process that sweeps once, or for as long as it lives (SWEEP_MS), and waits to be killed: started by processes.test.ts with
// the database's address, the key ring and its lease in the environment.
import { createDatabase } from '../../../src/db/client.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { Webhooks } from '../../../src/engine/webhooks/webhooks.ts';
import { onDemand } from '../../../src/time/on-demand.ts';
import { ids, readRing } from './ring.ts';

const { DATABASE_URL = '', KEY_RING = '', LEASE_MS = '3000', SWEEP_MS } = process.env;
const database = createDatabase<unknown>(DATABASE_URL, { max: 1, lanes: 4 });
const fleet = new Fleet({
  db: engineStore(database.lanes),
  processId: ids('prc_'),
  now: Date.now,
  leaseMs: Number(LEASE_MS),
});
const webhooks = new Webhooks({
  db: withSchema(database.db),
  lanes: database.lanes,
  ids,
  ring: readRing(KEY_RING),
  now: Date.now,
  allowPrivate: true,
  log: { warn: () => {}, error: (fields) => console.error(fields) },
  // All that one endpoint may get at once is its own: the test counts the posts.
  fleet: Object.defineProperty(fleet, 'alive', { value: 1 }),
  queue: { maxInFlightPerEndpoint: 4 },
});
await fleet.renew();
console.log(`renews ${fleet.processId}`);
const repeat = (everyMs: number, work: () => Promise<unknown>) =>
  onDemand({ distanceMs: everyMs, run: () => work().then(() => everyMs), onError: console.error });
repeat(Number(LEASE_MS) / 5, () => fleet.renew());
console.log(`claimed ${await webhooks.sweep(Date.now())}`);
if (SWEEP_MS) {
  repeat(Number(SWEEP_MS), () => webhooks.sweep(Date.now()));
} else {
  await webhooks.idle();
  await webhooks.stop(1_000);
  console.log('done');
  process.exit(0);
}
