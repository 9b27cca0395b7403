// Which keys are known to have been good.
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { KnownKeys } from '../../../../src/api/auth/held-keys.ts';

const digest = (secret: string) => hash('sha256', secret, 'buffer');

test('a key is known by its id and its secret, until it is found to be good no more', () => {
  const known = new KnownKeys(10);
  known.add('key_1', digest('right'));
  expect(known.has({ id: 'key_1', secret: 'right' })).toBe(true);
  expect(known.has({ id: 'key_1', secret: 'wrong' })).toBe(false);
  expect(known.has({ id: 'key_2', secret: 'right' })).toBe(false);
  known.delete('key_1');
  expect(known.has({ id: 'key_1', secret: 'right' })).toBe(false);
});

test('so many and no more are known; one in use comes back', () => {
  const known = new KnownKeys(3);
  for (let n = 0; n < 10; n += 1) known.add(`key_${n}`, digest('s'));
  expect(known.size).toBe(3);
  known.add('key_0', digest('s'));
  expect(known.has({ id: 'key_0', secret: 's' })).toBe(true);
});
