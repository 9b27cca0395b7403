// One answer for one Idempotency-Key: what is answered again, what is a conflict, and what a key remembers of its request.
import { describe, expect, it } from 'vitest';
import { type KeyRing, parseKeyRing } from '../../../../src/core/secrets/key-ring.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Idempotency } from '../../../../src/engine/sessions/store.ts';
import { Idempotent } from '../../../../src/engine/verify/idempotent.ts';

function ring(current: string): KeyRing {
  const keys = { k1: Buffer.alloc(32, 1).toString('base64'), k2: Buffer.alloc(32, 2).toString('base64') };
  const rest = {
    api_key: { current: 'a', keys: { a: keys.k1 } },
    webhook_secret: { current: 'w', keys: { w: keys.k1 } },
  };
  const parsed = parseKeyRing(JSON.stringify({ code: { current, keys }, ...rest }));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}

interface Answered {
  kind: 'answered' | 'unchanged';
  answer: number;
}

const stored = new Map<string, { hash: Buffer; answer: unknown }>();

function idempotent(current = 'k1') {
  const store = { storedAnswer: async (_: string, __: string, ___: string, key: string) => stored.get(key) ?? null };
  const once = new Idempotent({ store, ring: ring(current) } as unknown as EngineContext);
  const isStored = ({ kind }: Answered) => kind === 'answered';
  const callOf = (key: string | null, request: string) => {
    const idempotency = key === null ? null : { route: 'Check', key, request };
    return { accountId: 'acct_1', mode: 'live' as const, idempotency };
  };
  return {
    run: (key: string | null, request: string, work: (kept: Idempotency | null) => Promise<Answered>) =>
      once.run(callOf(key, request), isStored, work),
    earlier: (key: string, request: string) => once.earlier(callOf(key, request)),
  };
}

const keep = (kept: Idempotency | null, answer: number): void => {
  if (kept) stored.set(kept.key, { hash: kept.hash, answer });
};
const answering = (answer: number) => async (kept: Idempotency | null) => {
  keep(kept, answer);
  return { kind: 'answered' as const, answer };
};
const never = () => Promise.reject(new Error('worked twice'));

describe('one answer for one key', () => {
  it('is not needed by a call without a key', async () => {
    const seen: unknown[] = [];
    await idempotent().run(null, '1', async (kept) => {
      seen.push(kept);
      return { kind: 'answered', answer: 4 };
    });
    expect(seen).toEqual([null]);
  });

  it('a call is worked once and answered again', async () => {
    const { run } = idempotent();
    expect(await run('once', '1', answering(4))).toEqual({ kind: 'answered', answer: 4 });
    expect(await run('once', '1', never)).toEqual({ kind: 'replayed', answer: 4 });
  });

  it('another call has committed meanwhile is answered in place of what this one met', async () => {
    const { run } = idempotent();
    const meeting = async (kept: Idempotency | null) => {
      keep(kept, 4);
      return { kind: 'unchanged' as const, answer: 3 };
    };
    expect(await run('met', '1', meeting)).toEqual({ kind: 'replayed', answer: 4 });
    expect(await run('alone', '1', async () => ({ kind: 'unchanged', answer: 3 }))).toMatchObject({ answer: 3 });
  });

  it('a statement that meets the key of another call is answered as that one was', async () => {
    const { run } = idempotent();
    const repeated = Object.assign(new Error('repeated'), { code: '23505', constraint: 'idempotency_pkey' });
    const meeting = (kept: Idempotency | null) => {
      keep(kept, 4);
      return Promise.reject(repeated);
    };
    expect(await run('both', '1', meeting)).toEqual({ kind: 'replayed', answer: 4 });
    await expect(run('nobody', '1', () => Promise.reject(repeated))).rejects.toBe(repeated);
  });

  it('belongs to one request', async () => {
    const { run, earlier } = idempotent();
    await run('mine', '1', answering(4));
    expect(await run('mine', '2', never)).toEqual({ kind: 'idempotency_conflict' });
    expect(await earlier('mine', '2')).toEqual({ kind: 'idempotency_conflict' });
    expect(await earlier('yours', '2')).toBeNull();
  });

  it('is found under the key it was hashed with, after a rotation', async () => {
    await idempotent('k1').run('rotated', '{"code":"123456"}', answering(4));
    const { earlier } = idempotent('k2');
    expect(await earlier('rotated', '{"code":"123456"}')).toEqual({ kind: 'replayed', answer: 4 });
    expect(await earlier('rotated', '{"code":"123457"}')).toEqual({ kind: 'idempotency_conflict' });
  });

  it('new hashes are made with the current key', async () => {
    const hashes: Buffer[] = [];
    const hashing = async (kept: Idempotency | null) => {
      if (kept) hashes.push(kept.hash);
      return { kind: 'answered' as const, answer: 4 };
    };
    await idempotent('k1').run('hashed', '1', hashing);
    await idempotent('k2').run('hashed', '1', hashing);
    expect(hashes.map((hash) => hash.subarray(0, 3).toString())).toEqual(['k1.', 'k2.']);
    expect(hashes.map(({ length }) => length)).toEqual([35, 35]);
  });

  it('does not take what others stored for its own', async () => {
    const { earlier } = idempotent();
    for (const hash of [Buffer.alloc(0), Buffer.alloc(32), Buffer.from('k9.x'), Buffer.from('a.x')]) {
      stored.set('foreign', { hash, answer: 4 });
      expect(await earlier('foreign', '{}')).toEqual({ kind: 'idempotency_conflict' });
    }
  });
});
