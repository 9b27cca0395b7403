// A ring that turns: whatever is done to its text, in whatever order, each purpose has a current key, and what is sealed under a key that was
// not removed opens.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type KeyPurpose,
  type KeyRing,
  keyPurposes,
  newKeyRing,
  open,
  parseKeyRing,
  type SealPurpose,
  seal,
} from '../../../../src/core/secrets/key-ring.ts';
import { checkValue, currentKeys, keysOf, lackedKeys, reportOf } from '../../../../src/core/secrets/ring-report.ts';
import { withNextAsCurrent, withNextKey, withoutKey } from '../../../../src/core/secrets/ring-text.ts';

const ringOf = (json: string): KeyRing => {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
};
const fresh = () => newKeyRing(randomBytes);
const isSealPurpose = (purpose: KeyPurpose): purpose is SealPurpose =>
  (['webhook_secret', 'waba_secret', 'custom_code'] as readonly string[]).includes(purpose);

describe('a rotation', () => {
  it('adds a key that is not current, makes it current, and removes the old one', () => {
    const first = fresh();
    const old = ringOf(first).current('code').id;
    const { json: second, id } = withNextKey(first, 'code', randomBytes);
    expect(ringOf(second).current('code').id).toBe(old);
    expect(ringOf(second).next('code')?.id).toBe(id);
    expect(withNextKey(second, 'code', randomBytes)).toEqual({ json: second, id });
    const third = withNextAsCurrent(second, 'code');
    expect(ringOf(third).current('code').id).toBe(id);
    expect(ringOf(third).next('code')).toBeUndefined();
    expect(ringOf(third).byId(old)).toBeDefined();
    expect(withNextAsCurrent(third, 'code')).toBe(third);
    expect(withoutKey(third, id)).toEqual({ kind: 'current' });
    expect(withoutKey(third, 'code-nobody')).toEqual({ kind: 'unknown' });
    const fourth = withoutKey(third, old);
    expect(
      fourth.kind === 'removed' &&
        ringOf(fourth.json)
          .all('code')
          .map((key) => key.id),
    ).toEqual([id]);
    // A key that was never current may go, too.
    const given = withoutKey(second, id);
    expect(given.kind === 'removed' && ringOf(given.json).next('code')).toBeUndefined();
  });

  it('of a purpose that the ring lacks is refused', () => {
    const { waba_secret: _, ...older } = JSON.parse(fresh());
    expect(() => withNextKey(JSON.stringify(older), 'waba_secret', randomBytes)).toThrow(/no waba_secret key/);
  });

  it('in any order of steps leaves a current key for each purpose, and opens what is sealed under keys that are there', () => {
    const step = fc.record({
      purpose: fc.constantFrom(...keyPurposes),
      act: fc.constantFrom('add', 'turn', 'remove'),
      which: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let json = fresh();
        const sealed: { purpose: SealPurpose; text: string }[] = [];
        for (const { purpose, act, which } of steps) {
          const before = ringOf(json);
          if (isSealPurpose(purpose))
            sealed.push({ purpose, text: seal(before, purpose, 'x', 'aad', randomBytes(12)) });
          if (act === 'add') json = withNextKey(json, purpose, randomBytes).json;
          else if (act === 'turn') json = withNextAsCurrent(json, purpose);
          else {
            const ids = before.all(purpose).map(({ id }) => id);
            const removed = withoutKey(json, ids[which % ids.length] ?? '');
            if (removed.kind === 'removed') json = removed.json;
          }
          const ring = ringOf(json);
          for (const each of keyPurposes) expect(ring.current(each).purpose).toBe(each);
          for (const { purpose: of, text } of sealed) {
            const isThere = ring.byId(text.slice(0, text.indexOf('.'))) !== undefined;
            expect(open(ring, of, text, 'aad').kind).toBe(isThere ? 'ok' : 'unreadable');
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('next, as a ring says it', () => {
  const whole = () => JSON.parse(fresh());
  it.each([
    ['names no key', 'code-none', 'code.next: names none of its keys'],
    ['is no text', 7, 'code.next: names none of its keys'],
  ])('that %s is refused', (_, next, error) => {
    const ring = whole();
    expect(parseKeyRing(JSON.stringify({ ...ring, code: { ...ring.code, next } }))).toEqual({
      kind: 'invalid',
      errors: [error],
    });
  });

  it('that is the current key, or one of another purpose, is refused', () => {
    const ring = whole();
    const withNext = (next: string) => parseKeyRing(JSON.stringify({ ...ring, code: { ...ring.code, next } }));
    expect(withNext(ring.code.current)).toEqual({ kind: 'invalid', errors: ['code.next: is the current key'] });
    expect(withNext(ring.api_key.current).kind).toBe('invalid');
  });
});

describe('the report of a ring', () => {
  const one = fresh();
  const report = reportOf(ringOf(one));

  it('says which keys there are, and nothing of them', () => {
    const text = JSON.stringify(report);
    for (const purpose of keyPurposes) {
      const key = ringOf(one).current(purpose);
      expect(report[purpose]).toEqual({ current: key.id, next: null, keys: { [key.id]: checkValue(key.key) } });
      expect(text).not.toContain(key.key.export().toString('base64'));
      expect(text).not.toContain(key.key.export().toString('hex'));
    }
  });

  it('finds what another ring lacks: a key, other bytes under one id, and no purpose that it does not have at all', () => {
    const { json: two, id } = withNextKey(one, 'code', randomBytes);
    const turned = reportOf(ringOf(withNextAsCurrent(two, 'code')));
    expect(lackedKeys(report, currentKeys(turned))).toEqual([{ purpose: 'code', id, check: expect.any(String) }]);
    expect(lackedKeys(reportOf(ringOf(two)), currentKeys(turned))).toEqual([]);
    const other = JSON.parse(one);
    other.code.keys[other.code.current] = randomBytes(32).toString('base64');
    expect(lackedKeys(reportOf(ringOf(JSON.stringify(other))), keysOf(report)).map((key) => key.id)).toEqual([
      other.code.current,
    ]);
    const { waba_secret: _, ...older } = report;
    expect(lackedKeys(older, keysOf(report))).toEqual([]);
  });
});
