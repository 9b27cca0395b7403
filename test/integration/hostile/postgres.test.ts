// The database itself fails: a real Postgres is stopped in its tracks (as a machine that swaps, or a paused virtual one), and
// killed with -9 (as by the kernel), which ends in crash recovery.
import { testService } from '../../support/service.ts';
import { describeOutages } from './outage.ts';
import { ownPostgres } from './postgres.ts';

const postgres = await ownPostgres();
const service = await testService({
  errorsExpected: true,
  sandbox: { deliverDelayMs: 1_000 },
  database: postgres.database,
});
const url = new URL(postgres.database.url);
// So that a silent connection is given up after 4 s instead of 17.
url.searchParams.set('statement_timeout', '2000');
const server = await service.startProcess({ DATABASE_URL: url.href });

describeOutages(service, server, [
  { state: 'frozen (SIGSTOP)', begin: () => postgres.freeze(), end: () => postgres.thaw() },
  { state: 'killed (SIGKILL)', begin: () => postgres.kill(), end: () => postgres.start() },
]);
