// A small valid configuration for the tests, to be bent in one place at a time.

import { type Config, type ConfigSources, type LoadedConfig, loadConfig } from '../../../src/config.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';

export const keyRing = newKeyRing((size) => new Uint8Array(size).fill(7));

/** One operator with only what is required. */
export function operator(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'alpha',
    name: 'Alpha',
    prefixes: ['+21355'],
    binds: [bind()],
    rate_per_second: 50,
    time_zone: 'Africa/Algiers',
    tariff: [tariff()],
    ...change,
  };
}

export function bind(change: Record<string, unknown> = {}): Record<string, unknown> {
  return { host: 'smsc.alpha.example', system_id: 'example', password: { env: 'ALPHA_PASSWORD' }, ...change };
}

export function tariff(change: Record<string, unknown> = {}): Record<string, unknown> {
  const validFrom = '2026-01-01T00:00:00+01:00';
  return { version: '1', valid_from: validFrom, currency: 'DZD', amount: '4.50', charged: 'submit', ...change };
}

/** One trunk with only what is required. */
export function trunk(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'main',
    address: 'sip.trunk.example',
    caller_id: '+213210000000',
    prefixes: ['+213'],
    channels: 30,
    calls_per_second: 5,
    tariff: [callTariff()],
    ...change,
  };
}

export function callTariff(change: Record<string, unknown> = {}): Record<string, unknown> {
  const validFrom = '2026-01-01T00:00:00+01:00';
  return { version: '1', valid_from: validFrom, currency: 'DZD', amount: '6.00', per: 'minute', ...change };
}

/** A file with the voice call and one trunk. */
export const voice = (change: Record<string, unknown> = {}) => ({ voice: { trunks: [trunk()], ...change } });

/** A file with WhatsApp, as little of it as is required. */
export const messaging = (change: Record<string, unknown> = {}) => ({
  messaging: {
    phone_number_id: '106540352242922',
    access_token: { env: 'APP_TOKEN' },
    app_secret: 'app-secret',
    verify_token: 'verify-me',
    template: { name: 'login_code' },
    tariff: [tariff({ amount: '1.20', charged: 'delivery' })],
    ...change,
  },
});

/** Sources with a key ring, a bind's password and one file; `env` and `files` add to them or take away (undefined). */
export function sources(
  file: unknown,
  env: ConfigSources['env'] = {},
  files: Record<string, string> = {},
): ConfigSources {
  const all: Record<string, string> = { '/etc/ramz.json': JSON.stringify(file), '/etc/ring.json': keyRing, ...files };
  return {
    env: { RAMZ_CONFIG: '/etc/ramz.json', RAMZ_KEY_RING: '/etc/ring.json', ALPHA_PASSWORD: 'hunter2', ...env },
    readFile(path) {
      const text = all[path];
      if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
      return text;
    },
  };
}

export function load(file: unknown, env?: ConfigSources['env'], files?: Record<string, string>): LoadedConfig {
  return loadConfig(sources(file, env, files));
}

/** The configuration, where there must be one. */
export function config(file: unknown, env?: ConfigSources['env']): Config {
  const loaded = load(file, env);
  if (loaded.kind === 'invalid') throw new Error(lines(loaded.errors).join('\n'));
  return loaded.config;
}

/** What is wrong, as `path: message`. */
export function errors(file: unknown, env?: ConfigSources['env'], files?: Record<string, string>): string[] {
  const loaded = load(file, env, files);
  return loaded.kind === 'invalid' ? lines(loaded.errors) : [];
}

export function warnings(file: unknown): string[] {
  const loaded = load(file);
  return loaded.kind === 'ok' ? lines(loaded.warnings) : ['not loaded'];
}

function lines(problems: { path: string; message: string }[]): string[] {
  return problems.map(({ path, message }) => `${path}: ${message}`);
}
