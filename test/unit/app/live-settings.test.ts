// Settings over reloads: what is in force, and what waits for a restart.
import { expect, test } from 'vitest';
import { LiveSettings } from '../../../src/app/live-settings.ts';
import { diffConfig } from '../../../src/config.ts';
import { config, operator, trunk, voice } from '../config/sources.ts';

const operators = [operator({ prefixes: ['+21355', '+21366'] })];

test('what needs a restart keeps its value, and every reload names it until then', () => {
  const live = new LiveSettings(config({ operators }, { RAMZ_ADMIN_TOKEN: 'token-of-the-start' }));
  const { server, scenarioPrefix, webhooks } = live.config;
  const file = { operators, sandbox: true, scenario_prefix: '+21366', webhooks: { timeout_seconds: 3 } };
  const next = config({ ...file, verify: { max_sends: 3 } }, { RAMZ_ADMIN_TOKEN: 'token-of-another-day' });
  const waiting = ['RAMZ_ADMIN_TOKEN', 'sandbox', 'scenario_prefix', 'webhooks'];

  expect(diffConfig(live.config, next).restartNeeded).toEqual(waiting);
  live.replace(next);
  expect(live.config).toMatchObject({ server, sandbox: false, scenarioPrefix, webhooks, verify: { maxSends: 3 } });
  expect(diffConfig(live.config, next).restartNeeded).toEqual(waiting);
});

test('a call has the time of the trunk that lets phones ring longest, as it is by then', () => {
  const trunks = (ringSeconds: number) =>
    voice({ trunks: [trunk(), trunk({ name: 'second', ring_seconds: ringSeconds })] });
  const live = new LiveSettings(config({ operators, ...trunks(40) }));
  expect(live.rules.ringMs).toBe(40_000);
  live.replace(config({ operators, ...trunks(20) }));
  expect(live.rules.ringMs).toBe(28_000);
});
