// The page of a signup as it leaves the server: nothing of what it shows can become a script, in no language is a word missing.
import { describe, expect, test } from 'vitest';
import { gonePage, policyOf, signupPage } from '../../../../src/api/signup/page.ts';
import { languageOf, wordsOf } from '../../../../src/api/signup/words.ts';
import { signupSetup } from '../../../support/signup.ts';

const input = {
  setup: signupSetup,
  brand: 'Ramz',
  accountName: 'My Shop',
  state: 'a'.repeat(43),
  language: 'en',
  nonce: 'n0nce',
  isUsed: false,
} as const;

test('what a business calls itself is text', () => {
  const name = '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\'{account}$&';
  const page = signupPage({ ...input, accountName: name, brand: name });
  expect(page).not.toContain('<script>alert');
  expect(page).not.toContain('<img');
  expect(page).toContain('{account}$&amp;');
});

test('the setup can’t end its own element', () => {
  const page = signupPage({ ...input, state: '</script><script>alert(1)</script>' });
  expect(page).not.toContain('<script>alert');
  const json = /<script type="application\/json" id="setup" nonce="n0nce">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  expect(JSON.parse(json)).toMatchObject({ app_id: signupSetup.appId, state: '</script><script>alert(1)</script>' });
});

test('behind a proxy that has the service under a path, the page finds its script, its other languages and itself there', () => {
  const redirectUri = 'https://verify.example/ramz/connect/messaging';
  const page = signupPage({ ...input, setup: { ...signupSetup, redirectUri } });
  const addresses = [...page.matchAll(/(?:src|href)="(\/[^"?]*)/g)].map(([, path]) => path);
  const own = '/ramz/connect/messaging';
  expect(new Set(addresses)).toEqual(new Set([`${own}/signup.js`, own]));
  expect(page).toContain(`"path":"${own}"`);
});

test('no script without the nonce, and none inline', () => {
  const scripts = signupPage(input).match(/<script[^>]*>/g) ?? [];
  expect(scripts).toHaveLength(2);
  for (const script of scripts) expect(script).toContain('nonce="n0nce"');
  expect(gonePage({ brand: 'Ramz', nonce: 'n0nce', language: 'fr' })).not.toContain('<script');
});

test('the policy names the SDK, the platform and ourselves, and nobody else', () => {
  expect(policyOf(signupSetup, 'n0nce').split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'nonce-n0nce' https://connect.facebook.net",
    "style-src 'nonce-n0nce'",
    "connect-src 'self' https://facebook.com https://*.facebook.com",
    'frame-src https://facebook.com https://*.facebook.com',
    'img-src https://facebook.com https://*.facebook.com',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  const sandbox = {
    ...signupSetup,
    sdkUrl: 'http://127.0.0.1:4000/graph/sdk.js',
    allowedOrigins: ['http://127.0.0.1:4000'],
  };
  expect(policyOf(sandbox, 'n')).toContain('frame-src http://127.0.0.1:4000;');
});

describe('words', () => {
  test.each(['ar', 'fr'] as const)('%s says all that English says', (language) => {
    const keys = (value: object): string[] =>
      Object.entries(value).flatMap(([key, inner]) =>
        typeof inner === 'string' ? [key] : keys(inner).map((each) => `${key}.${each}`),
      );
    expect(keys(wordsOf(language)).sort()).toEqual(keys(wordsOf('en')).sort());
    expect(wordsOf(language).for).toContain('{account}');
    expect(signupPage({ ...input, language })).toContain(
      `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`,
    );
  });

  test('an unknown language is English', () => {
    expect(['de', '', null, '__proto__', 'constructor'].map(languageOf)).toEqual(['en', 'en', 'en', 'en', 'en']);
  });
});
