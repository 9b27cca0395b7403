// Every column of a declared record is in its table, and of the type that it travels as: the one thing the compiler can't know.
import { expect, test } from 'vitest';
import type { Column, Wire } from '../../../src/db/columns.ts';
import { message, ofSession, receipt, session } from '../../../src/db/verify/records.ts';
import { link } from '../../../src/db/waba/links.ts';
import { delivery } from '../../../src/db/webhooks/deliveries.ts';
import { endpoint } from '../../../src/db/webhooks/endpoints.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase({ lanes: 1 });

const types: Record<Wire, readonly string[]> = {
  text: ['text'],
  integer: ['smallint', 'integer'],
  boolean: ['boolean'],
  ms: ['timestamp with time zone'],
  json: ['jsonb'],
  bytea: ['bytea'],
  hex: ['bytea'],
  texts: ['text[]'],
};

test.each<[string, { columns: readonly Column[] }]>([
  ['verify_session', session],
  ['message', message],
  ['message', ofSession],
  ['receipt', receipt],
  ['receipt', ofSession],
  ['webhook_delivery', delivery],
  ['webhook_endpoint', endpoint],
  ['waba', link],
])('%s', async (table, { columns }) => {
  const { rows } = await database.lanes.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`,
  );
  const stored = new Map(rows.map(({ name, type }) => [name, type]));
  const wrong = columns.filter(({ name, wire }) => !types[wire].includes(stored.get(name) ?? ''));
  expect(wrong.map(({ name, wire }) => `${name} as ${wire}`)).toEqual([]);
});
