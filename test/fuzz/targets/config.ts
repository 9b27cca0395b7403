// The configuration file: whatever is in it, the answer is a configuration or a list of what is wrong, and never a secret.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crosscheck } from '../../../src/config/crosscheck.ts';
import { loadConfig } from '../../../src/config.ts';
import { bind, keyRing, operator, sources, tariff } from '../../unit/config/sources.ts';
import { hold, type Target } from '../target.ts';
import { mutateJson } from './json.ts';

const example = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'examples', 'ramz.config.json'),
  'utf8',
);
const secret = 'correct-horse-battery';
const full = {
  operators: [
    operator({
      binds: [bind({ tls: {}, count: 3, password: secret }), bind()],
      tariff: [tariff(), tariff({ version: '2' })],
    }),
    operator({ id: 'beta', prefixes: ['+21366', '+213667'] }),
  ],
  verify: { cascade: [{ channel: 'sms', timeout_seconds: 15 }], code_length: { min: 6, max: 8, default: 6 } },
  limits: { account_calls_per_second: 100 },
  webhooks: { timeout_seconds: 5 },
};
const words = [...new Set(`${example}${JSON.stringify(full)}`.match(/"[^"]*"/g))].map((word) => word.slice(1, -1));

export const config: Target = {
  name: 'config',
  weight: 2,
  seeds: [Buffer.from(example), Buffer.from(JSON.stringify(full)), Buffer.from('{}')],
  dictionary: words,
  generate: (random) => Buffer.from(JSON.stringify(mutateJson(full, random, words)) ?? ''),
  run(input) {
    const { env, readFile } = sources({}, {}, { '/etc/ring.json': keyRing });
    const text = input.toString('utf8');
    const loaded = loadConfig({ env, readFile: (path) => (path === '/etc/ramz.json' ? text : readFile(path)) });
    const named = !/"(env|file)"\s*:\s*"[^"]*correct/.test(text);
    if (loaded.kind === 'invalid') {
      hold(loaded.errors.length > 0, 'refused for nothing');
      for (const { path, message } of loaded.errors) {
        hold(path !== undefined && message !== '', 'an error that says nothing');
        // A variable or file that bears the secret's name is told by its name.
        if (named) hold(!message.includes(secret), 'an error tells a secret');
      }
      return;
    }
    hold(crosscheck(loaded.config as never, Date.now()).errors.length === 0, 'a configuration that contradicts itself');
    for (const { ratePerSecond, binds } of loaded.config.operators)
      hold(
        ratePerSecond > 0 && binds.every(({ port, count }) => port > 0 && count > 0),
        'an operator that can not be reached',
      );
  },
};
