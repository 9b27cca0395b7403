import { describe, expect, it } from 'vitest';
import type { TlsIdentity } from '../../../src/config/tls-identity.ts';
import { diffConfig } from '../../../src/config.ts';
import { selfSigned } from '../../support/certificate.ts';
import { bind, callTariff, config, operator, tariff, trunk, voice } from './sources.ts';

const alpha = operator();
const beta = operator({ id: 'beta', prefixes: ['+21366'] });
const gamma = operator({ id: 'gamma', prefixes: ['+21377'] });

const scenario_prefix = '+21355';
const diff = (old: unknown[], next: unknown[]) =>
  diffConfig(config({ scenario_prefix, operators: old }), config({ scenario_prefix, operators: next }));

describe('diffConfig', () => {
  it('finds nothing between two readings of one file, in whatever order', () => {
    const same = diff([alpha, beta], [beta, alpha]);
    expect(same).toEqual({
      changedOperators: [],
      unchangedOperators: ['beta', 'alpha'],
      changedTrunks: [],
      restartNeeded: [],
    });
  });

  it('tells operators that came, went and stayed', () => {
    expect(diff([alpha, beta], [alpha, gamma])).toEqual({
      changedOperators: [
        { id: 'gamma', kind: 'added' },
        { id: 'beta', kind: 'removed' },
      ],
      unchangedOperators: ['alpha'],
      changedTrunks: [],
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

  it('takes in another certificate; the first one and none any more need a restart', () => {
    const server = (grpcTls: TlsIdentity | null) => ({ ...config({}), server: { ...config({}).server, grpcTls } });
    const [one, other] = [selfSigned(), selfSigned()];
    const found = (old: TlsIdentity | null, next: TlsIdentity | null) =>
      diffConfig(server(old), server(next)).restartNeeded;
    expect(found(one, other)).toEqual([]);
    expect([found(null, one), found(one, null)]).toEqual([['GRPC_TLS_CERT'], ['GRPC_TLS_CERT']]);
  });

  it('takes in the rest without one', () => {
    const next = config({ verify: { max_sends: 3 }, limits: { account_sends_burst: 7 }, service: { brand: 'Other' } });
    expect(diffConfig(config({}), next).restartNeeded).toEqual([]);
  });

  describe('trunks', () => {
    const of = (trunks: unknown[], rest: Record<string, unknown> = {}) => config(voice({ trunks, ...rest }));

    it('tells those that came, went and stayed', () => {
      const [main, second, third] = ['main', 'second', 'third'].map((name) => trunk({ name }));
      expect(diffConfig(of([main, second]), of([third, main])).changedTrunks).toEqual([
        { name: 'third', kind: 'added' },
        { name: 'second', kind: 'removed' },
      ]);
    });

    it('are all removed with their section, and all added with it', () => {
      expect(diffConfig(of([trunk()]), config({})).changedTrunks).toEqual([{ name: 'main', kind: 'removed' }]);
      expect(diffConfig(config({}), of([trunk()]))).toMatchObject({
        changedTrunks: [{ name: 'main', kind: 'added' }],
        restartNeeded: [],
      });
    });

    it.each([
      ['another address', { address: '192.0.2.9' }, 'reconnect'],
      ['another transport', { transport: 'tcp' }, 'reconnect'],
      ['another domain', { domain: 'operator.example' }, 'reconnect'],
      ['another address to hear', { also_from: ['192.0.2.0/24'] }, 'reconnect'],
      ['another public address', { advertise: '192.0.2.9' }, 'reconnect'],
      ['another local port', { local: { port: 5070 } }, 'reconnect'],
      ['another password', { username: 'u', password: 'p' }, 'settings'],
      ['another price', { tariff: [callTariff({ amount: '9.00' })] }, 'settings'],
      ['more channels', { channels: 31 }, 'settings'],
      ['a longer ringing', { ring_seconds: 29 }, 'settings'],
      ['another pause between OPTIONS', { options_seconds: 0 }, 'settings'],
    ])('say of %s what happens to calls', (_, change, kind) => {
      expect(diffConfig(of([trunk()]), of([trunk(change)])).changedTrunks).toEqual([{ name: 'main', kind }]);
    });
  });
});
