// The network between the service and its database fails, in the two ways there are: connections are refused, or nothing
// answers any more. A database that fails itself: postgres.test.ts.
import { testService } from '../../support/service.ts';
import { describeOutages } from './outage.ts';
import { proxyTo } from './proxy.ts';

const service = await testService({ errorsExpected: true, sandbox: { deliverDelayMs: 1_000 } });
const direct = new URL(service.database.url);
const proxy = await proxyTo(direct.hostname, Number(direct.port));
const proxied = new URL(service.database.url);
proxied.port = String(proxy.port);
// So that a silent connection is given up after 4 s instead of 17.
proxied.searchParams.set('statement_timeout', '2000');
const server = await service.startProcess({ DATABASE_URL: proxied.href });

describeOutages(
  service,
  server,
  (['refusing', 'silent'] as const).map((state) => ({
    state,
    begin: () => proxy.become(state),
    end: () => proxy.become('open'),
  })),
);
