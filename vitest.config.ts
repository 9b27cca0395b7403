// The suites, one project each; `scripts/test.ts` runs them one after another and counts. The timeouts only end what hangs: they are
// many times what the slowest test takes on an idle machine, because a busy one may well be ten times slower.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { debianPrograms } from './test/support/debian-cluster.ts';

const database = ['test/support/server.ts'];
/** Vitest's own default is one less than there are cores. Tests with a database often wait: one more than there are keeps them busy. */
const maxWorkers = availableParallelism() + 1;
/** They count what the machine can do within a time, or what a Postgres to itself does: nothing runs beside them. */
const alone = ['test/integration/hostile/overload.test.ts', 'test/integration/guard/rows.test.ts'];

/** What of integration runs on Debian's Postgres 15 as well: all that is written in SQL, and the engine on it. */
const onDebian = existsSync(debianPrograms)
  ? ['test/integration/db/**/*.test.ts', 'test/integration/engine/**/*.test.ts']
  : [];

export default defineConfig({
  test: {
    projects: [
      // One process for all files: a process per file takes several times as long. `npm test` shuffles the order, because what one file
      // leaves behind reaches the next one.
      suite('unit', { pool: 'threads', isolate: false, testTimeout: 120_000, setupFiles: ['test/support/inside.ts'] }),
      suite('codegen', { testTimeout: 120_000 }),
      suite('integration', { testTimeout: 120_000, globalSetup: database, exclude: alone }),
      suite('integration-alone', {
        include: alone,
        testTimeout: 120_000,
        globalSetup: database,
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
      }),
      suite('postgres-15', {
        include: ['test/postgres-15/**/*.test.ts', ...onDebian],
        exclude: ['test/integration/db/embedded.test.ts'],
        testTimeout: 120_000,
        globalSetup: database,
      }),
      // The engine over eight databases on three servers.
      suite('cells', {
        include: [
          'test/cells/**/*.test.ts',
          'test/integration/engine/**/*.test.ts',
          'test/integration/api/one-key-two-numbers.test.ts',
          'test/integration/reports/cells.test.ts',
        ],
        // It has one projector, for one database; reports/cells has one for each.
        exclude: ['test/integration/engine/first-sends.test.ts'],
        testTimeout: 120_000,
        globalSetup: database,
      }),
      suite('e2e', { testTimeout: 240_000, globalSetup: database }),
      suite('far', { globalSetup: database, testTimeout: 15 * 60_000, hookTimeout: 15 * 60_000, maxWorkers: 1 }),
      suite('ss7', { globalSetup: database, testTimeout: 240_000, maxWorkers: 1 }),
      suite('peers', { testTimeout: 240_000, globalSetup: database }),
    ],
  },
});

function suite(name: string, options: object) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      hookTimeout: 240_000,
      // A process per file: what a file leaves open or patches can't reach the next one.
      pool: 'forks' as const,
      maxWorkers,
      ...options,
    },
  };
}
