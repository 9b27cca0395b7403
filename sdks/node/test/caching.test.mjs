// No answer out of a cache: Next.js 13.4 to 14 has a `fetch` of its own, which keeps what a GET was answered for good.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ramz } from '@ramz/sdk';

/** The `init` of a get, a list and a watch, as the runtime's `fetch` has it. */
async function inits() {
  const ramz = new Ramz({ apiKey: 'ramz_test_key', baseUrl: 'http://ramz.test', maxRetries: 0 });
  const own = globalThis.fetch;
  const seen = [];
  globalThis.fetch = async (_, init) => {
    seen.push(init);
    return Response.json({ error: { code: 'session_not_found', message: 'none' } }, { status: 404 });
  };
  try {
    await assert.rejects(ramz.verify.get('vrf_1'), { code: 'session_not_found' });
    await assert.rejects(ramz.verify.list().page(), { code: 'session_not_found' });
    await assert.rejects(ramz.verify.watch('vrf_1').next(), { code: 'session_not_found' });
  } finally {
    globalThis.fetch = own;
  }
  return seen;
}

if (process.argv[2] === 'cacheless') {
  // As in Cloudflare's Workers until the end of 2024.
  globalThis.Request = class {
    constructor(_, { cache } = {}) {
      if (cache !== undefined) throw new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.");
    }
  };
  console.log(JSON.stringify((await inits()).map((init) => 'cache' in init)));
} else {
  test('get, list and watch ask for no answer out of a cache', async () => {
    assert.deepEqual(
      (await inits()).map(({ cache }) => cache),
      ['no-store', 'no-store', 'no-store'],
    );
  });

  test('a runtime that does not know the option is not given it', () => {
    const script = fileURLToPath(import.meta.url);
    // Without what the runner gives to its files, or it would report to the runner.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const output = execFileSync(process.execPath, [script, 'cacheless'], { encoding: 'utf8', env });
    assert.deepEqual(JSON.parse(output), [false, false, false]);
  });
}
