// A process that sweeps once and waits to be killed: started by processes.test.ts with the database's address, the key ring
// and its name in the environment.
import { createDatabase } from '../../../src/db/client.ts';
import { Webhooks } from '../../../src/engine/webhooks/webhooks.ts';
import { ids, readRing } from './ring.ts';

const { DATABASE_URL = '', KEY_RING = '' } = process.env;
const database = createDatabase<unknown>(DATABASE_URL, { max: 1, lanes: 2 });
const webhooks = new Webhooks({
  ...{ db: database.lanes, ring: readRing(KEY_RING), now: Date.now, newEventId: () => ids('evt_'), allowPrivate: true },
  log: { info: () => {}, error: (fields) => console.error(fields) },
});
console.log(`claimed ${await webhooks.sweep(Date.now())}`);
await webhooks.idle();
await webhooks.stop(1_000);
await database.close();
console.log('done');
