// The suites, one project each; `scripts/test.ts` runs them one after another and counts.
import { defineConfig } from 'vitest/config';

const database = ['test/support/server.ts'];

export default defineConfig({
  test: {
    projects: [
      suite('unit', { testTimeout: 10_000 }),
      suite('integration', { testTimeout: 20_000, globalSetup: database }),
      suite('e2e', { testTimeout: 60_000, globalSetup: database }),
      suite('peers', { testTimeout: 60_000, globalSetup: database }),
    ],
  },
});

function suite(name: string, options: { testTimeout: number; globalSetup?: string[] }) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      hookTimeout: 60_000,
      // A process per file: what a file leaves open or patches can't reach the next one.
      pool: 'forks' as const,
      ...options,
    },
  };
}
