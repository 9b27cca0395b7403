// `/connect/messaging` on a real port: what it answers to whom, whatever it is sent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { signupMount } from '../../../src/api/signup/mount.ts';
import type { SignupSetup } from '../../../src/api/signup/page.ts';
import type { Allowance } from '../../../src/api/waist/ports.ts';
import type { Begun, LinkRequest, SignupState } from '../../../src/engine/waba/waba.ts';
import { signupSetup } from '../../support/signup.ts';

const state = 'S'.repeat(43);
const open: SignupState = { kind: 'ok', accountId: 'acct_1', accountName: 'My Shop', isOpen: true, waba: null };
const waba = { status: 'connecting', step: 'exchange_code', reason: null, token: 'sealed token', waba_id: '104' };

let setup: SignupSetup | null;
let found: SignupState;
let begun: Begun;
let asked: LinkRequest[];
let changed: string[];
let errors: unknown[];
let broken: Error | null;
let allowed: Allowance;
let peers: string[];

beforeEach(() => {
  [setup, found, begun] = [signupSetup, open, { kind: 'begun', waba: waba as never }];
  [asked, changed, errors, broken] = [[], [], [], null];
  [allowed, peers] = [{ kind: 'ok' }, []];
});

const log = () => {};
const mount = signupMount({
  waba: {
    signupState: async (given) => {
      if (broken) throw broken;
      return given === state ? found : { kind: 'unknown' };
    },
    accountChanged: async (wabaId) => void changed.push(wabaId),
    begin: async (request) => {
      asked.push(request);
      return begun;
    },
  },
  clientOf: () => '127.0.0.1',
  setup: () => setup,
  allow: (peer) => {
    peers.push(peer);
    return allowed;
  },
  brand: () => 'Ramz',
  logger: { debug: log, info: log, warn: log, error: (fields) => errors.push(fields) },
});
const server = createServer((request, response) => {
  if (!mount(request, response)) response.writeHead(418).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/connect/messaging`;

const post = async (path: string, body: unknown, type = 'application/json') => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(base + path, { method: 'POST', body: text, headers: { 'content-type': type } });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, string> };
};
const result = { state, code: 'AQB', waba_id: '104200000000001', phone_number_id: '109300000000002' };

describe('the page', () => {
  test('is shown for a state that is open, under a policy, and kept by nobody', async () => {
    const answer = await fetch(`${base}?state=${state}&lang=ar`);
    expect(answer.status).toBe(200);
    const { headers } = answer;
    const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '';
    expect(nonce).toMatch(/^[\w+/=]{20,}$/);
    const text = await answer.text();
    expect(text.match(/nonce="([^"]+)"/g)).toEqual(Array(3).fill(`nonce="${nonce}"`));
    expect(text).toContain('My Shop');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'strict-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    });
    const again = await fetch(`${base}?state=${state}`);
    expect(again.headers.get('content-security-policy')).not.toContain(nonce);
  });

  test.each([
    [
      'used, and its link is another by now, or too old',
      () => (found = { ...open, isOpen: false } as SignupState),
      `?state=${state}`,
    ],
    ['unknown', () => {}, `?state=${'x'.repeat(43)}`],
    ['absent', () => {}, ''],
    ['no state at all', () => {}, '?state=%00%22%3E%3Cscript%3E'],
  ])('%s: gone', async (_, prepare, query) => {
    prepare();
    const answer = await fetch(base + query);
    expect(answer.status).toBe(410);
    const text = await answer.text();
    expect(text).not.toContain('<script');
    expect(text).not.toContain('My Shop');
  });

  test('loaded again after its link has begun: how that stands, and nothing to start', async () => {
    found = { ...open, isOpen: false, waba: waba as never };
    const answer = await fetch(`${base}?state=${state}`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toMatch(/<button id="start"[^>]* hidden>/);
    expect(text).toMatch(/<ol id="steps">/);
    expect(text).toContain('"is_used":true');
    for (const secret of ['sealed token', '104']) expect(text).not.toContain(`"${secret}"`);
  });

  test('leads to the platform’s dialog on the whole page, and takes the code it comes back with', async () => {
    const link = /<p id="without"><a href="([^"]+)"/.exec(await (await fetch(`${base}?state=${state}&lang=fr`)).text());
    const address = new URL(link?.[1]?.replaceAll('&amp;', '&') ?? '');
    expect(`${address.origin}${address.pathname}`).toBe('https://www.facebook.com/v25.0/dialog/oauth');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: signupSetup.appId,
      redirect_uri: signupSetup.redirectUri,
      config_id: signupSetup.configId,
      response_type: 'code',
      override_default_response_type: 'true',
      state: `${state}.fr`,
    });
    const back = await (await fetch(`${base}?code=AQBx&state=${state}.fr`)).text();
    expect(back).toContain('"code":"AQBx"');
    expect(back).toContain('<html lang="fr"');
    const stopped = await (await fetch(`${base}?error=access_denied&state=${state}.ar`)).text();
    expect(stopped).toContain('"code":""');
    for (const code of ['', '%3C/script%3E%20']) {
      expect(await (await fetch(`${base}?code=${code}&state=${state}.fr`)).text()).toContain('"code":null');
    }
  });

  test('loaded again while the number is to be verified: it is looked at once more', async () => {
    const waiting = { ...waba, step: 'verify_number', reason: 'number_unverified' };
    found = { ...open, isOpen: false, waba: waiting as never };
    expect((await fetch(`${base}?state=${state}`)).status).toBe(200);
    expect(changed).toEqual(['104']);
  });

  test('its scripts are there, and nothing else of the folder', async () => {
    for (const name of ['signup.js', 'origin.js', 'result.js']) {
      const answer = await fetch(`${base}/${name}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
      await answer.text();
    }
    for (const name of ['origin.d.ts', '..%2fpage.ts', '../mount.ts', 'status', '']) {
      expect((await fetch(`${base}/${name}`)).status).toBeGreaterThanOrEqual(404);
    }
  });

  test('where no signup is configured the paths are nobody’s', async () => {
    setup = null;
    for (const path of ['', '/signup.js', '/status']) expect((await fetch(base + path)).status).toBe(418);
  });

  test('other paths are nobody’s', async () => {
    expect((await fetch(`${base}s`)).status).toBe(418);
  });
});

describe('what the page hands in', () => {
  test('begins the link, for the account of the state', async () => {
    const answer = await post('', result);
    expect(answer).toMatchObject({ status: 200, body: { status: 'connecting', step: 'exchange_code' } });
    expect(Object.keys(answer.body)).toEqual(['status', 'step']);
    const { code, waba_id: wabaId, phone_number_id: phoneNumberId } = result;
    const actor = { kind: 'system', name: 'embedded signup', address: expect.stringMatching(/127\.0\.0\.1$/) };
    const by = { kind: 'code', code, state, redirectUri: null };
    expect(asked).toMatchObject([{ wabaId, phoneNumberId, pin: null, by, actor }]);
  });

  test('without ids, which the server then finds; a code that came by the address is exchanged with it', async () => {
    expect((await post('', { state, code: 'AQB' })).status).toBe(200);
    expect((await post('', { state, code: 'AQB', redirected: true })).status).toBe(200);
    const { redirectUri } = signupSetup;
    expect(asked).toMatchObject([
      { wabaId: '', phoneNumberId: '', by: { code: 'AQB', redirectUri: null } },
      { wabaId: '', phoneNumberId: '', by: { code: 'AQB', redirectUri } },
    ]);
    expect((await post('', { state, code: 'AQB', waba_id: result.waba_id })).status).toBe(200);
    expect(asked.at(-1)).toMatchObject({ wabaId: result.waba_id, phoneNumberId: '' });
    // A number belongs to an account.
    const { phone_number_id } = result;
    expect((await post('', { state, code: 'AQB', phone_number_id })).status).toBe(400);
  });

  test.each(['invalid_state', 'already_connected', 'number_taken', 'not_offered'] as const)('%s', async (kind) => {
    begun = { kind };
    expect(await post('', result)).toMatchObject({ status: 409, body: { error: kind } });
  });

  test.each([
    [{ ...result, code: '' }, 400],
    [{ ...result, code: 'a b' }, 400],
    [{ ...result, waba_id: 104 }, 400],
    [{ ...result, phone_number_id: '../1' }, 400],
    [{ ...result, more: 1 }, 400],
    [{ ...result, state: 'short' }, 400],
    ['[]', 400],
    ['null', 400],
    ['{', 400],
    ['', 400],
    ['x'.repeat(70_000), 413],
  ])('%j is %i, and begins nothing', async (body, status) => {
    expect((await post('', body)).status).toBe(status);
    expect(asked).toEqual([]);
  });

  test('a form is refused: a foreign page can send no JSON', async () => {
    expect((await post('', result, 'text/plain')).status).toBe(415);
    expect((await post('', 'state=1', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect(asked).toEqual([]);
  });
});

describe('how it goes on', () => {
  test('is told to who has the state, without ids and secrets', async () => {
    found = { ...open, isOpen: false, waba: { ...waba, reason: 'platform_unavailable' } as never };
    expect((await post('/status', { state })).body).toEqual({
      status: 'connecting',
      step: 'exchange_code',
      reason: 'platform_unavailable',
    });
  });

  test('is not told before the state was used, nor to others', async () => {
    expect((await post('/status', { state })).status).toBe(404);
    expect((await post('/status', { state: 'x'.repeat(43) })).status).toBe(404);
    expect((await post('/status', {})).status).toBe(404);
  });
});

test('an address that calls too often waits, before anything is read', async () => {
  allowed = { kind: 'limited', retryAfterSeconds: 2.5 };
  const page = await fetch(`${base}?state=${state}`);
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '3']);
  expect(await post('', result)).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect((await post('/status', { state })).status).toBe(429);
  expect(peers).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  expect(asked).toEqual([]);
  expect((await fetch(`${base}/signup.js`)).status).toBe(200);
});

test('a database that is away is 503, said once in the log', async () => {
  broken = new Error('no database');
  expect((await fetch(`${base}?state=${state}`)).status).toBe(503);
  expect(errors).toHaveLength(1);
  expect((await fetch(base, { method: 'DELETE' })).status).toBe(404);
});
