// What tests need beyond Node and the packages of npm, in one table: `npm test` prepares what the files it runs need and nothing else,
// and a file that uses a program without its need fails, so that the table stays true.
import { basename } from 'node:path';

/** The Go programs of test/tools/go.mod, the Python programs of test/tools/requirements.txt, or a Debian package of test/apt.txt. */
export type Need = 'go' | 'python' | DebianPackage;

export type DebianPackage =
  | 'libnet-smpp-perl'
  | 'kannel'
  | 'tshark'
  | 'baresip-core'
  | 'sip-tester'
  | 'kamailio'
  | 'linphone-cli'
  | 'php-cli'
  | 'php-curl'
  | 'composer'
  | 'php-codesniffer'
  | 'phpunit'
  | 'php-laravel-framework'
  | 'php-guzzlehttp-guzzle'
  | 'postgresql-15'
  | 'pgbouncer'
  | 'haproxy'
  | 'nginx'
  | 'prometheus'
  | 'mmdebstrap'
  | 'chromium';

const php = ['php-cli', 'php-curl', 'composer'] as const;
const laravel = [...php, 'php-laravel-framework', 'php-guzzlehttp-guzzle'] as const;

/** Test file, or suite of test/sdks → needs. What is not named here needs nothing. */
const table: Readonly<Record<string, readonly Need[]>> = {
  'test/peers/sip/loss.test.ts': ['baresip-core'],
  'test/peers/sip/sipp.test.ts': ['sip-tester'],
  'test/peers/sip/kamailio.test.ts': ['kamailio', 'baresip-core'],
  'test/codegen/generated.test.ts': ['go', 'python'],
  'test/codegen/published.test.ts': ['go'],
  'test/codegen/python.test.ts': ['python'],
  'test/e2e/live-sound.test.ts': ['chromium'],
  'test/e2e/phones.test.ts': ['chromium'],
  'test/e2e/phones-scenarios.test.ts': ['chromium'],
  'test/e2e/phones-looks.test.ts': ['chromium'],
  'test/e2e/phones-network.test.ts': ['chromium'],
  'test/e2e/phones-keyboard.test.ts': ['chromium'],
  'test/e2e/phones-safe.test.ts': ['chromium'],
  'test/e2e/phones-orders.test.ts': ['chromium'],
  'test/e2e/recorder.test.ts': ['chromium'],
  'test/e2e/reference.test.ts': ['chromium'],
  'test/e2e/session-pane.test.ts': ['chromium'],
  'test/e2e/signup.test.ts': ['chromium'],
  'test/e2e/watch-events.test.ts': ['chromium'],
  'test/peers/grpc.test.ts': ['go'],
  'test/peers/balancer/haproxy.test.ts': ['haproxy'],
  'test/peers/balancer/nginx.test.ts': ['nginx'],
  'test/peers/prometheus/alerts.test.ts': ['prometheus'],
  'test/peers/sip/signalling.test.ts': ['baresip-core'],
  'test/peers/sip/speaks.test.ts': ['baresip-core', 'linphone-cli'],
  'test/peers/sip/rtp-tshark.test.ts': ['tshark'],
  'test/peers/sip/sip-tshark.test.ts': ['tshark', 'baresip-core'],
  'test/postgres-15/erasure.test.ts': ['postgresql-15'],
  'test/postgres-15/there.test.ts': ['postgresql-15'],
  'test/far/laravel.test.ts': ['mmdebstrap'],
  'test/far/postgres.test.ts': ['postgresql-15'],
  'test/far/failover-asynchronous.test.ts': ['postgresql-15'],
  'test/far/failover-synchronous.test.ts': ['postgresql-15'],
  'test/peers/postgres/failover.test.ts': ['postgresql-15'],
  'test/peers/postgres/restore.test.ts': ['postgresql-15'],
  'test/peers/postgres/compose-role.test.ts': ['postgresql-15'],
  'test/peers/postgres/pgbouncer.test.ts': ['postgresql-15', 'pgbouncer'],
  'test/peers/postgres/tls.test.ts': ['postgresql-15'],
  'test/peers/smpp/kannel.test.ts': ['kannel'],
  'test/peers/smpp/habits.test.ts': ['libnet-smpp-perl'],
  'test/peers/smpp/net-smpp.test.ts': ['libnet-smpp-perl'],
  'test/peers/smpp/story.test.ts': ['libnet-smpp-perl'],
  'test/peers/smpp/tshark.test.ts': ['tshark'],
  'test/ss7/gateway.test.ts': ['tshark'],
  'test/sdks/python.ts': ['python'],
  'test/sdks/node.ts': ['chromium'],
  'test/sdks/php.ts': [...php, 'php-codesniffer', 'phpunit', 'php-guzzlehttp-guzzle'],
  'test/sdks/laravel.ts': [...laravel, 'phpunit'],
  'test/sdks/go.ts': ['go'],
  'test/sdks/docs.ts': ['python'],
  'test/sdks/snippets.ts': ['go', 'python', ...laravel],
  'test/sdks/samples.ts': ['go', 'python', ...laravel],
  'test/sdks/examples.ts': ['go', 'python', ...laravel],
};

/** Program → the need that brings it. */
const broughtBy: Readonly<Record<string, Need>> = {
  go: 'go',
  gofmt: 'go',
  grpcurl: 'go',
  'grpc-health-probe': 'go',
  'protoc-gen-go': 'go',
  'protoc-gen-connect-go': 'go',
  staticcheck: 'go',
  python: 'python',
  python3: 'python',
  mypy: 'python',
  ruff: 'python',
  perl: 'libnet-smpp-perl',
  bearerbox: 'kannel',
  smsbox: 'kannel',
  tshark: 'tshark',
  text2pcap: 'tshark',
  baresip: 'baresip-core',
  sipp: 'sip-tester',
  kamailio: 'kamailio',
  linphonec: 'linphone-cli',
  php: 'php-cli',
  composer: 'composer',
  phpcs: 'php-codesniffer',
  phpunit: 'phpunit',
  initdb: 'postgresql-15',
  pg_dump: 'postgresql-15',
  pg_basebackup: 'postgresql-15',
  haproxy: 'haproxy',
  nginx: 'nginx',
  promtool: 'prometheus',
  mmdebstrap: 'mmdebstrap',
  pgbouncer: 'pgbouncer',
  chromium: 'chromium',
};

/** All files of the table, for its test. */
export const needyFiles = Object.keys(table);

export const needsOf = (file: string): readonly Need[] => table[file] ?? [];

/** @throws when the test file uses a program and the table does not give it the need that brings the program. */
export function assertDeclared(program: string, file: string): void {
  const need = broughtBy[basename(program)];
  if (need === undefined || needsOf(file).includes(need)) return;
  throw new Error(`${file} uses ${basename(program)}, but scripts/test/needs.ts does not say that it needs '${need}'`);
}
