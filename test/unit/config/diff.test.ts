import { describe, expect, it } from 'vitest';
import { diffConfig } from '../../../src/config.ts';
import { bind, config, operator, tariff } from './sources.ts';

const alpha = operator();
const beta = operator({ id: 'beta', prefixes: ['+21366'] });
const gamma = operator({ id: 'gamma', prefixes: ['+21377'] });

const scenario_prefix = '+21355';
const diff = (old: unknown[], next: unknown[]) =>
  diffConfig(config({ scenario_prefix, operators: old }), config({ scenario_prefix, operators: next }));

describe('diffConfig', () => {
  it('finds nothing between two readings of one file, in whatever order', () => {
    const same = diff([alpha, beta], [beta, alpha]);
    expect(same).toEqual({ changedOperators: [], unchangedOperators: ['beta', 'alpha'], restartNeeded: [] });
  });

  it('tells operators that came, went and stayed', () => {
    expect(diff([alpha, beta], [alpha, gamma])).toEqual({
      changedOperators: [
        { id: 'gamma', kind: 'added' },
        { id: 'beta', kind: 'removed' },
      ],
      unchangedOperators: ['alpha'],
      restartNeeded: [],
    });
  });

  it.each([
    ['a bind more', { binds: [bind(), bind({ host: 'other' })] }, 'rebind'],
    ['another password', { binds: [bind({ password: 'rotated' })] }, 'rebind'],
    ['another window', { window: 20 }, 'rebind'],
    ['another idle time', { enquire_link_idle_seconds: 20 }, 'rebind'],
    ['another price', { tariff: [tariff({ amount: '5.00' })] }, 'settings'],
    ['another rate', { rate_per_second: 40 }, 'settings'],
    ['another reading of receipts', { receipt: { meanings: { FAILED: 'UNDELIV' } } }, 'settings'],
  ])('says of %s what happens to the binds', (_, change, kind) => {
    expect(diff([alpha, beta], [operator(change), beta])).toMatchObject({
      changedOperators: [{ id: 'alpha', kind }],
      unchangedOperators: ['beta'],
    });
  });

  it('names what only a restart can change', () => {
    const old = config({ operators: [alpha, beta] });
    const webhooks = { timeout_seconds: 5 };
    const next = config({ sandbox: true, operators: [beta, alpha], webhooks }, { PORT: '9090', LOG_LEVEL: 'debug' });
    expect(diffConfig(old, next).restartNeeded).toEqual([
      'PORT',
      'LOG_LEVEL',
      'sandbox',
      'scenario_prefix',
      'webhooks',
    ]);
  });

  it('takes in the rest without one', () => {
    const next = config({ verify: { max_sends: 3 }, limits: { account_sends_burst: 7 }, service: { brand: 'Other' } });
    expect(diffConfig(config({}), next).restartNeeded).toEqual([]);
  });
});
