// The crash driver's short form: two servers and Postgres killed under load; every promise is checked from outside. The long
// form is `npm run chaos`.
import { expect, onTestFinished, test } from 'vitest';
import { readable } from '../chaos/report.ts';
import { runChaos } from '../chaos/run.ts';

test('servers and database killed with -9 under load: nothing acknowledged is lost, nothing sent twice', async () => {
  const interrupted = new AbortController();
  onTestFinished(() => interrupted.abort());
  const told: string[] = [];
  const seed = Math.floor(Math.random() * 1_000_000);
  const report = await runChaos(
    {
      seed,
      processes: 2,
      checkShare: 0.3,
      ratePerSecond: 60,
      durationMs: 6_000,
      headMs: 500,
      kills: 4,
      freezes: 0,
      freezeMs: 0,
      // Timers are judged by the long form, on a machine that has nothing else to do.
      // Two posts in a row that are late would be followed by a wait of five minutes.
      webhookTimeoutSeconds: 5,
      settleMs: 90_000,
      slackMs: 30_000,
    },
    { say: (line) => told.push(line), signal: interrupted.signal },
  );
  // With the stories of the sessions in question: a run does not come again.
  expect(report.violations, [readable(report), ...told].join('\n')).toEqual([]);
  expect(report.kills.faults).toBe(4);
  expect(report.sends.acknowledged).toBe(360);
});
