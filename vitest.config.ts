// The suites, one project each; `scripts/test.ts` runs them one after another and counts. The timeouts only end what hangs: they are
// many times what the slowest test takes on an idle machine, because a busy one may well be ten times slower.
import { defineConfig } from 'vitest/config';

const database = ['test/support/server.ts'];

export default defineConfig({
  test: {
    projects: [
      // One process for all files: a process per file takes three times as long. `npm test` shuffles the order, because what one file
      // leaves behind reaches the next one.
      suite('unit', {
        pool: 'threads',
        isolate: false,
        maxWorkers: 2,
        testTimeout: 60_000,
        setupFiles: ['test/support/inside.ts'],
      }),
      suite('codegen', { testTimeout: 60_000 }),
      suite('integration', { testTimeout: 60_000, globalSetup: database }),
      suite('e2e', { testTimeout: 120_000, globalSetup: database }),
      suite('peers', { testTimeout: 120_000, globalSetup: database }),
    ],
  },
});

function suite(name: string, options: object) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      hookTimeout: 120_000,
      // A process per file: what a file leaves open or patches can't reach the next one.
      pool: 'forks' as const,
      ...options,
    },
  };
}
