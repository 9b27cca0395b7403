// The API page in a real browser: what is built is served with the policy of production, it speaks to its own origin alone, and a call is
// tried from it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect } from 'vitest';
import { buildReference } from '../../scripts/web/reference.ts';
import { BuiltPages } from '../../src/pages/built-pages.ts';
import { axeViolations } from '../support/axe.ts';
import { browserTest as test, testBrowser } from '../support/browser.ts';
import { testFolder } from '../support/folder.ts';
import { listen } from '../support/listen.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
service.env.RAMZ_SANDBOX_KEY = service.liveKey;
const folder = testFolder('pages');
const server = await service.startHere({ pages: new BuiltPages(folder) });

beforeAll(async () => {
  const key = '0123456789abcdef';
  await buildReference(join(folder, key, 'reference'));
  writeFileSync(join(folder, 'current'), key);
});

interface Sampled {
  summary: string;
  tags: string[];
  'x-codeSamples': { label: string; source: string }[];
}
const { paths } = JSON.parse(readFileSync(new URL('../../src/gen/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Sampled>>;
};

async function cancelAll(): Promise<void> {
  const path = '/v1/verify/sessions';
  const { body } = await server.live.call<{ sessions: { id: string }[] }>('GET', `${path}?status=pending`);
  for (const { id } of body.sessions) await server.live.call('POST', `${path}/${id}/cancel`);
}

/** Set to look at the pages: the pictures land there. */
const pictures = process.env.RAMZ_TEST_PICTURES;

let context: BrowserContext | undefined;
/** What the browser complained of, above all what the policy forbade. */
let complaints: string[] = [];
/** Addresses of other origins that the page asked for. */
let strangers: string[] = [];
afterEach(async () => {
  await context?.close();
  context = undefined;
  expect(complaints).toEqual([]);
  expect(strangers).toEqual([]);
});

async function open(address = '/docs', options: BrowserContextOptions = {}): Promise<Page> {
  complaints = [];
  strangers = [];
  context = await (await testBrowser()).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const url = new URL(address, server.http);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url.origin && protocol !== 'data:' && protocol !== 'blob:') strangers.push(request.url());
  });
  await page.goto(url.href);
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `reference-${name}.png`) });
}

/** The section of an operation. */
const section = (page: Page, title: string): Locator =>
  page.locator('section.section', { has: page.getByRole('heading', { name: title, exact: true }) });

const sendPage = '/docs#tag/verify/POST/v1/verify/send';
const listPage = '/docs#tag/verify/GET/v1/verify/sessions';

/** Opens the dialog that a call is tried in, and presses its button; answers the request that went out. */
async function tryOut(page: Page, title: string, path: string) {
  await section(page, title)
    .getByRole('button', { name: /^Test Request/ })
    .click();
  const sent = page.waitForRequest((request) => new URL(request.url()).pathname.endsWith(path));
  await page
    .getByRole('button', { name: /^Send\b/ })
    .last()
    .click();
  return sent;
}

describe('the page', () => {
  test('shows every operation by its title', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'Ramz', exact: true }).waitFor();
    const operations = Object.values(paths).flatMap((verbs) => Object.values(verbs));
    // The first group is open.
    for (const group of [...new Set(operations.flatMap(({ tags }) => tags))].slice(1))
      await page.getByRole('navigation').or(page.locator('aside')).first().getByText(group, { exact: true }).click();
    for (const { summary: title } of operations)
      await page.locator('aside').getByText(title, { exact: true }).first().waitFor();
    await picture(page, 'light');
  });

  test('shows a call in curl and with each of the five SDKs', async () => {
    const page = await open(sendPage);
    const send = section(page, 'Send a code');
    const samples = paths['/v1/verify/send']?.post?.['x-codeSamples'] ?? [];
    expect(samples.map(({ label }) => label)).toEqual(['curl', 'Python', 'Node.js', 'Go', 'PHP', 'Laravel']);
    let shown = 'curl';
    for (const { label, source } of samples) {
      await send.getByRole('button', { name: shown, exact: true }).click();
      const options = page.getByRole('option');
      await options.first().waitFor();
      expect(await options.allInnerTexts()).toEqual(samples.map((each) => each.label));
      await page.getByRole('option', { name: label, exact: true }).click();
      const text = () => send.locator('pre').first().textContent();
      await until(async () => (await text())?.trim() === source, { what: `the sample in ${label}` });
      shown = label;
    }
    await picture(page, 'samples');
  });

  test('finds what is looked for', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'Send a code', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').or(page.getByRole('searchbox')).last().waitFor();
    await page.keyboard.type('check');
    const found = page.getByRole('option', { name: /Check a code/ });
    await found.waitFor();
    await picture(page, 'search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#tag\/verify\/POST\/v1\/verify\/check$/);
  });

  test('follows the theme of the system', async () => {
    const background = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const dark = await open(sendPage, { colorScheme: 'dark' });
    await section(dark, 'Send a code').waitFor();
    expect(await background(dark)).toBe('rgb(18, 22, 29)');
    await picture(dark, 'dark');
    await context?.close();
    const light = await open(sendPage, { colorScheme: 'light' });
    await section(light, 'Send a code').waitFor();
    expect(await background(light)).toBe('rgb(255, 255, 255)');
  });

  test('is our own page where there are no scripts', async () => {
    const page = await open('/docs', { javaScriptEnabled: false });
    await page.waitForURL(`${server.http}/docs/plain`);
    await page.getByRole('heading', { name: 'Send a code' }).waitFor();
  });
});

describe('a call tried from the page', () => {
  test('is sent with the key of the sandbox, and reaches a phone', async () => {
    const page = await open(sendPage);
    const request = await tryOut(page, 'Send a code', '/v1/verify/send');
    expect(request.postDataJSON()).toEqual({ to: '+213550000001' });
    expect(await request.headerValue('authorization')).toBe(`Bearer ${service.liveKey}`);
    // It would make the second call of another number an error.
    expect(await request.headerValue('idempotency-key')).toBeNull();
    expect((await request.response())?.status()).toBe(200);
    await page.getByText('200 OK').waitFor();
    await picture(page, 'tried');
    await until(() => service.sandbox.smsTo('+213550000001').length > 0, { what: 'the code on the phone' });
  });

  test('has no example in it that was not asked for', async () => {
    const page = await open(listPage);
    const request = await tryOut(page, 'List sessions', '/v1/verify/sessions');
    expect(new URL(request.url()).search).toBe('');
    expect((await request.response())?.status()).toBe(200);
  });

  test('goes where the page came from, behind the path of a proxy too', async () => {
    const proxy = createServer(async (request, response) => {
      const path = String(request.url);
      if (!path.startsWith('/otp/')) return void response.writeHead(404).end();
      const body: Buffer[] = [];
      for await (const part of request) body.push(part);
      const { authorization, 'content-type': type } = request.headers;
      const headers = { ...(authorization ? { authorization } : {}), ...(type ? { 'content-type': type } : {}) };
      const { method = 'GET' } = request;
      const init = { method, headers, ...(method === 'GET' ? {} : { body: Buffer.concat(body) }) };
      const answer = await fetch(`${server.http}${path.slice('/otp'.length)}`, init);
      const kept = ['content-type', 'content-security-policy'].map((name) => [name, answer.headers.get(name) ?? '']);
      response.writeHead(answer.status, Object.fromEntries(kept.filter(([, value]) => value !== '')));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    const { port } = await listen(proxy);
    const page = await open(`http://127.0.0.1:${port}/otp${listPage}`);
    const request = await tryOut(page, 'List sessions', '/v1/verify/sessions');
    expect(request.url()).toBe(`http://127.0.0.1:${port}/otp/v1/verify/sessions`);
  });
});

describe('for everyone', () => {
  test('a call is tried by the keyboard alone', async () => {
    await cancelAll(); // A second code so soon would be refused.
    const page = await open(sendPage);
    await section(page, 'Send a code').waitFor();
    await tabTo(page, /^Test Request/);
    await page.keyboard.press('Enter');
    const answered = page.waitForResponse((response) => response.url().endsWith('/v1/verify/send'));
    await page.getByText('Request Body').first().waitFor();
    await page.keyboard.press('Control+Enter');
    expect((await answered).status()).toBe(200);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`axe finds nothing in the ${colorScheme} theme, nor in the dialog of a call`, async () => {
      const page = await open(sendPage, { colorScheme });
      await section(page, 'Send a code').waitFor();
      expect(await axeViolations(page, { bestPractice: false })).toEqual([]);
      await section(page, 'Send a code')
        .getByRole('button', { name: /^Test Request/ })
        .click();
      await page.getByText('Request Body').first().waitFor();
      expect(await axeViolations(page, { bestPractice: false })).toEqual([]);
      await picture(page, `dialog-${colorScheme}`);
    });

  test('fits a narrow screen', async () => {
    const page = await open(sendPage, { viewport: { width: 320, height: 700 } });
    await section(page, 'Send a code').waitFor();
    await picture(page, 'narrow');
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });
});

/** Presses Tab until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''");
    if (name.test(focused)) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}
