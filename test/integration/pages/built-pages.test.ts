// What is served of a folder of builds: the one that `current` names, and nothing beside it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BuiltPages, contentSecurityPolicy } from '../../../src/pages/built-pages.ts';
import { testFolder } from '../../support/folder.ts';

const root = testFolder('pages');
let made = 0;
const [first, second] = ['0123456789abcdef', 'fedcba9876543210'];

function folderWith(...keys: string[]): string {
  made += 1;
  const folder = join(root, String(made));
  mkdirSync(folder);
  for (const key of keys) {
    mkdirSync(join(folder, key, 'phones/assets'), { recursive: true });
    writeFileSync(join(folder, key, 'phones/index.html'), `page of ${key}`);
    writeFileSync(join(folder, key, 'phones/assets/main-1a2b.js'), `script of ${key}`);
    writeFileSync(join(folder, key, 'secret.txt'), 'not for browsers');
  }
  return folder;
}

const name = (folder: string, key: string) => writeFileSync(join(folder, 'current'), `${key}\n`);

test('nothing is answered before a build is whole', () => {
  const folder = folderWith(first);
  expect(new BuiltPages(folder).answer('phones', '/')).toBeNull();
  name(folder, 'half a na');
  expect(new BuiltPages(folder).answer('phones', '/')).toBeNull();
});

test('the page is asked for again each time, its assets are kept', () => {
  const folder = folderWith(first);
  name(folder, first);
  const pages = new BuiltPages(folder);
  expect(pages.answer('phones', '/')).toEqual({
    status: 200,
    headers: expect.objectContaining({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-opener-policy': 'same-origin',
    }),
    body: Buffer.from(`page of ${first}`),
  });
  expect(pages.answer('phones', '/assets/main-1a2b.js')).toEqual({
    status: 200,
    headers: expect.objectContaining({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    }),
    body: Buffer.from(`script of ${first}`),
  });
});

test('a new build is served without a restart', () => {
  const folder = folderWith(first, second);
  name(folder, first);
  const pages = new BuiltPages(folder);
  expect(String(pages.answer('phones', '/')?.body)).toBe(`page of ${first}`);
  name(folder, second);
  expect(String(pages.answer('phones', '/')?.body)).toBe(`page of ${second}`);
});

test.each([
  '/secret.txt',
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/assets/..',
  '/assets/%2e%2e/secret.txt',
  '/assets/',
])('%s is no file of the page', (path) => {
  const folder = folderWith(first);
  name(folder, first);
  expect(new BuiltPages(folder).answer('phones', path)?.status).toBe(404);
});

test('a policy without a script of its own text, and without another host', () => {
  expect(contentSecurityPolicy).toContain("script-src 'self';");
  expect(contentSecurityPolicy).not.toMatch(/https?:|\*|unsafe-eval/);
});
