// What is published of the configuration must be what the code does: schema, table, example, guide.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configSchema, configurationPage, environmentRows, fileRows } from '../../../src/config/document.ts';
import { selfSigned } from '../../support/certificate.ts';
import { errors, load } from './sources.ts';

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const example = JSON.parse(read('examples/ramz.config.json'));
const again = 'is out of date: npm run generate';

describe('docs/config.schema.json', () => {
  const schema = JSON.parse(read('config.schema.json'));
  const published = z.fromJSONSchema(schema);

  it('is the schema the service reads by', () => {
    expect(schema, again).toEqual(JSON.parse(JSON.stringify(configSchema())));
  });

  it('accepts the example and an empty file', () => {
    expect(published.safeParse(example).error).toBeUndefined();
    expect(published.safeParse({}).error).toBeUndefined();
  });

  it('refuses what the service refuses', () => {
    const [operator] = example.operators;
    for (const change of [{ rate_per_second: 'fast' }, { windw: 10 }, { binds: [] }, { registered_delivery: 0 }]) {
      const file = { operators: [{ ...operator, ...change }] };
      expect(published.safeParse(file).success, JSON.stringify(change)).toBe(false);
      expect(errors(file)).not.toEqual([]);
    }
  });
});

describe('docs/configuration.md', () => {
  const page = read('configuration.md');

  it('is made from the schema', () => {
    expect(page, again).toBe(configurationPage());
  });

  it('has every setting with a meaning', () => {
    for (const row of [...environmentRows(), ...fileRows()]) {
      expect(row.meaning, row.path).not.toBe('');
      expect(row.form, row.path).not.toContain('undefined');
      if (row.path !== '$schema') expect(page).toContain(`| \`${row.path}\` |`);
    }
  });
});

describe('docs/examples/ramz.config.json', () => {
  const app = { APP_TOKEN: 't', APP_SECRET: 's', APP_VERIFY_TOKEN: 'v' };
  const env = { ALPHA_PASSWORD: 'a', GAMMA_PASSWORD: 'g', ...app };
  const files = {
    '/etc/ramz.json': JSON.stringify(example),
    '/run/secrets/beta_password': 'b\n',
    '/run/secrets/beta_ca.pem': selfSigned().cert,
  };

  it('loads without an error or a warning', () => {
    expect(load({}, env, files)).toMatchObject({ kind: 'ok', warnings: [] });
  });

  it('does not load without its secrets', () => {
    expect(errors({}, { ALPHA_PASSWORD: undefined }, { '/etc/ramz.json': JSON.stringify(example) })).toHaveLength(8);
  });
});

describe('docs/operators.md', () => {
  const guide = read('operators.md');
  const defaults = new Map(
    fileRows()
      .filter((row) => row.path.startsWith('operators[].'))
      .map((row) => [row.path.replace(/^operators\[\]\.(binds\[\]\.)?/, '').replace('[]', ''), row.default]),
  );

  it('explains every setting of an operator under its own name', () => {
    expect([...defaults.keys()].filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });

  it('names no setting that does not exist, and each with its own default', () => {
    // Tables of settings in the guide: | `setting` | default | what it is | trap |
    const rows = [...guide.matchAll(/^\| `([a-z0-9_.]+)` \| ([^|]+) \|[^|]*\|[^|]*\|$/gm)];
    expect(rows.length).toBeGreaterThan(40);
    for (const [, name = '', value] of rows) expect(value, name).toBe(defaults.get(name));
  });

  it('has a complete block in it that loads', () => {
    const [, block] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(errors(JSON.parse(block ?? ''), { ALPHA_PASSWORD: 'a' })).toEqual([]);
  });
});

describe('docs/ss7.md', () => {
  it('has an operator in it that loads without an error or a warning', () => {
    const blocks = [...read('ss7.md').matchAll(/^ *```json\n([\s\S]*?)```/gm)].map(([, block = '']) =>
      JSON.parse(block),
    );
    const file = { operators: blocks.filter((block) => block.prefixes !== undefined) };
    expect(file.operators).toHaveLength(1);
    expect(load(file, { GAMMA_PASSWORD: 'g' })).toMatchObject({ kind: 'ok', warnings: [] });
  });
});
