// Keys of the peer port: the same from the same ring, another from another, and one that two rings share while they rotate.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { offeredSecrets, secretOf } from '../../../src/peers/secret.ts';

type Section = { current: string; keys: Record<string, string> };
const fresh = () => JSON.parse(newKeyRing(randomBytes)) as Record<'code' | 'api_key', Section>;
function ringOf(json: object) {
  const parsed = parseKeyRing(JSON.stringify(json));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}
const firstOf = (json: object) => {
  const [secret] = offeredSecrets(ringOf(json));
  if (!secret) throw new Error('no secret');
  return secret;
};

test('a ring opens to its own offer, and to no other', () => {
  const [one, other] = [fresh(), fresh()];
  const { identity, psk } = firstOf(one);
  expect(psk).toHaveLength(32);
  expect(secretOf(ringOf(one), identity)).toEqual(psk);
  expect(secretOf(ringOf(other), identity)).toBeNull();
});

test('is none of the keys it was made of', () => {
  const json = fresh();
  const { psk } = firstOf(json);
  const keys = Object.values(json).flatMap((section) => Object.values(section.keys));
  expect(keys).not.toContain(psk.toString('base64'));
});

test('a vector: what one release derives, the next one does', () => {
  const json = fresh();
  json.code = { current: 'code-1', keys: { 'code-1': Buffer.alloc(32, 7).toString('base64') } };
  const { identity, psk } = firstOf(json);
  expect([identity, psk.toString('hex')]).toMatchInlineSnapshot(`
    [
      "ramz-peer code-1",
      "78772b0b0eda4acc31cec5609bebeae25216fa8bf577daf0e7f3e83d08783363",
    ]
  `);
});

test('while a key rotates, whichever ring is ahead, the two share one', () => {
  const behind = fresh();
  const ahead = structuredClone(behind);
  ahead.code.keys['code-next'] = randomBytes(32).toString('base64');
  ahead.code.current = 'code-next';
  const accepted = (caller: object, called: object) =>
    offeredSecrets(ringOf(caller)).filter(({ identity, psk }) => secretOf(ringOf(called), identity)?.equals(psk));
  expect(offeredSecrets(ringOf(ahead)).map(({ identity }) => identity)[0]).toBe('ramz-peer code-next');
  expect(accepted(ahead, behind)).toHaveLength(1);
  expect(accepted(behind, ahead)).toHaveLength(1);
});

test.each(['', 'ramz-peer ', 'code', 'ramz-peer no-such-key'])('"%s" names no key', (identity) => {
  expect(secretOf(ringOf(fresh()), identity)).toBeNull();
});

test('a key of another purpose opens nothing', () => {
  const json = fresh();
  expect(secretOf(ringOf(json), `ramz-peer ${json.api_key.current}`)).toBeNull();
});
