// What is held of keys: bounded, the least recently used goes, and nothing read before a change stays after it.
import { expect, test } from 'vitest';
import { HeldKeys } from '../../../../src/api/auth/held-keys.ts';
import type { FoundApiKey } from '../../../../src/db/accounts/api-keys.ts';

const row = (id: string, accountId = 'acct_1'): FoundApiKey => ({
  id,
  account_id: accountId,
  mode: 'live',
  name: '',
  secret_hash: Buffer.alloc(32),
  hmac_key_id: 'k',
  scopes: [],
  created_at: new Date(0),
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  restrictions: null,
  created_by: 'operator',
  person: '',
  closed_at: null,
  suspended_at: null,
  rules: null,
  approved_at: new Date(0),
});

test('the least recently used goes first', () => {
  const held = new HeldKeys(2);
  held.hold(row('a'), held.generation);
  held.hold(row('b'), held.generation);
  held.get('a');
  held.hold(row('c'), held.generation);
  expect(['a', 'b', 'c'].map((id) => held.get(id)?.row.id)).toEqual(['a', undefined, 'c']);
  expect(held.size).toBe(2);
});

test('a row that was asked for before a change is used once and not held', () => {
  const held = new HeldKeys(2);
  const { generation } = held;
  held.clear();
  expect(held.hold(row('a'), generation).row.id).toBe('a');
  expect(held.get('a')).toBeUndefined();
  held.hold(row('a'), held.generation);
  expect(held.get('a')).toBeDefined();
});

test('a change of one account forgets its keys alone, and nothing that was read before it is held', () => {
  const held = new HeldKeys(3);
  held.hold(row('a'), held.generation);
  held.hold(row('b', 'acct_2'), held.generation);
  const { generation } = held;
  held.clear('acct_1');
  expect(['a', 'b'].map((id) => held.get(id)?.row.id)).toEqual([undefined, 'b']);
  held.hold(row('a'), generation);
  expect(held.get('a')).toBeUndefined();
});

test('one more is held where all that are held were used', () => {
  const held = new HeldKeys(2);
  for (const id of ['a', 'b']) {
    held.hold(row(id), held.generation);
    held.get(id);
  }
  held.hold(row('c'), held.generation);
  expect(['a', 'b', 'c'].map((id) => held.get(id)?.row.id)).toEqual([undefined, 'b', 'c']);
});
