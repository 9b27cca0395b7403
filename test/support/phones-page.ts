// The phones page as a person meets it: built, served by a real sandbox before a real service with every channel, in headless Chromium. At the
// end of each test the browser must have complained of nothing, and asked no other origin. Belongs at the top of a test file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { BuiltPages } from '../../src/pages/built-pages.ts';
import type { SandboxOptions } from '../../src/sandbox/main.ts';
import { axeViolations } from './axe.ts';
import { testBrowser } from './browser.ts';
import { testFolder } from './folder.ts';
import { startScript } from './process.ts';
import type { TestSandbox } from './sandbox.ts';
import { type LocalServer, type TestService, testService } from './service.ts';
import { until } from './wait.ts';

export interface OpenOptions extends BrowserContextOptions {
  language?: 'en' | 'fr' | 'ar';
  /** Open until the end of the file. Default: until the end of the test. */
  isLasting?: boolean;
}

export interface PhonesPage {
  service: TestService;
  sandbox: TestSandbox;
  server: LocalServer;
  /** `POST /sandbox/control`. */
  order(action: object): Promise<void>;
  /** What `npm start` says to the sandbox about the service; null = it is gone. */
  announce(server: { http: string; grpc: string } | null): Promise<void>;
  /** A tab of its own, in a context of its own; both end with the test. */
  open(options?: OpenOptions): Promise<Page>;
  /** All well again, and nothing on the phones. */
  reset(): Promise<void>;
  /** What the browser said against the page so far in this test; a test that expects some takes it out. */
  complaints: string[];
}

export interface PhonesPageOptions {
  sandbox?: SandboxOptions;
  /** What happens to the parts of the network is an error in the server's log. Default false. */
  errorsExpected?: boolean;
}

export async function phonesPage({
  sandbox: more = {},
  errorsExpected = false,
}: PhonesPageOptions = {}): Promise<PhonesPage> {
  const pages = new BuiltPages(await builtPhones());
  const service = await testService({ sandbox: { pages, ...more }, errorsExpected });
  const { sandbox } = service;
  service.configure({ messaging: sandbox.messaging, voice: sandbox.voice });
  const server = await service.startHere();

  const post = async (path: string, body: object | null) => {
    const answer = await fetch(sandbox.httpUrl + path, { method: 'POST', body: JSON.stringify(body) });
    expect(answer.status, await answer.text()).toBe(204);
  };
  const order = (action: object) => post('/sandbox/control', action);
  const announce: PhonesPage['announce'] = (to) =>
    post('/sandbox/service', to && { http: to.http, grpc: to.grpc, api_key: service.liveKey });
  await order({ action: 'messaging_callback', url: `${server.http}/v1/callbacks/messaging` });
  await announce(server);

  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  const lasting: BrowserContext[] = [];
  const open = async ({ language = 'en', isLasting = false, ...options }: OpenOptions = {}) => {
    const browser = await testBrowser(['--mute-audio', '--autoplay-policy=no-user-gesture-required']);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, permissions, ...options });
    (isLasting ? lasting : contexts).push(context);
    const page = await context.newPage();
    watch(page, sandbox.httpUrl, complaints);
    await page.goto(`${sandbox.httpUrl}/?lang=${language}`);
    return page;
  };
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    const found = complaints.splice(0);
    expect(found).toEqual([]);
  });
  afterAll(() => Promise.all(lasting.map((context) => context.close())));
  const reset = async () => {
    await order({ action: 'reset' });
    for (const to of sandbox.phones?.people ?? []) await order({ action: 'voice_person', to, present: false });
    for (const path of ['/sandbox/messages', '/sandbox/webhooks'])
      await fetch(sandbox.httpUrl + path, { method: 'DELETE' });
  };
  return { service, sandbox, server, order, announce, open, reset, complaints };
}

/** The page of this very tree, as `npm run build:web` builds it; the folder for `BuiltPages`. */
async function builtPhones(): Promise<string> {
  const folder = testFolder('pages');
  const key = '0123456789abcdef';
  const out = join(folder, key, 'phones');
  const args = ['build', '--config', 'web/vite.config.ts', '--logLevel', 'error', '--outDir', out];
  const vite = startScript('node_modules/vite/bin/vite.js', {
    args,
    env: { RAMZ_PAGE: 'phones', NODE_ENV: 'production' },
  });
  const { code } = await vite.exit(120_000);
  if (code !== 0) throw new Error(vite.output());
  writeFileSync(join(folder, 'current'), key);
  return folder;
}

/** Errors of the console are above all what the policy forbade. */
function watch(page: Page, home: string, complaints: string[]): void {
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${home}/`) && !url.startsWith('data:')) complaints.push(`a request to ${url}`);
  });
}

/** `+213550000001` → its phone on the page. English words. */
export const phoneOf = (page: Page, number: string): Locator =>
  page.getByRole('article', { name: `Phone ${spaced(number)}`, exact: true });

/** As the page writes an Algerian mobile number. */
const spaced = (number: string): string => number.replace(/^(\+213)(\d{3})(\d\d)(\d\d)(\d\d)$/, '$1 $2 $3 $4 $5');

/** The code as the person at the phone sees it there. */
export async function codeOn(phone: Locator): Promise<string> {
  const text = await phone
    .getByRole('button', { name: /^Copy code \d{4,10}$/ })
    .first()
    .textContent();
  return /\d{4,10}/.exec(text ?? '')?.[0] ?? '';
}

/** The menu that was opened, once it has the focus: a key that is pressed in the moment before is not its own. */
export async function menuOpens(page: Page): Promise<void> {
  await page.getByRole('menu').waitFor();
  await eventually(() => page.evaluate<boolean>('document.activeElement.closest("[role=menu]") !== null')).toBe(true);
}

/** Copies the code by its button; what the clipboard has then. It is emptied first: a click is over before its text is there. */
export async function copyCode(screen: Locator): Promise<string> {
  const page = screen.page();
  await page.evaluate("navigator.clipboard.writeText('')");
  await screen
    .getByRole('button', { name: /^Copy code/ })
    .first()
    .click();
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  return until(clipboard, { what: 'the code on the clipboard' });
}

export async function expectAccessible(page: Page, what: string): Promise<void> {
  expect(await axeViolations(page), what).toEqual([]);
}

/** Pixels that the document is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** With its line breaks, as a person would copy it. */
export const shownText = (locator: Locator): Promise<string> =>
  locator.evaluate((element) => (element as unknown as { innerText: string }).innerText);

/** Text and marks of the picture, in its own order. */
const storyLines = `(() => {
  const picture = document.querySelector('section[aria-label="What happened, on a time axis"]');
  const isShown = (element) => !element.closest('[aria-hidden=true], [role=tooltip]');
  const words = (element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) if (isShown(texts.currentNode.parentElement)) found.push(texts.currentNode.data);
    return found.join(' ');
  };
  return [...(picture?.children ?? [])].flatMap((line) => {
    const marks = [...line.querySelectorAll('button')];
    return marks.length > 0 ? marks.map((mark) => '• ' + mark.ariaLabel.split('. ')[0]) : words(line).replace(/ in [0-9.]+ s$/, ' in ~ s');
  }).filter((line) => line !== '');
})()`;

/** The picture of the session, line by line: headings, marks with `•`, and why the cascade moved on. English words. */
export const storyOn = (page: Page): Promise<string[]> => page.evaluate<string[]>(storyLines);

/** `expect` of what is looked at until it is so. The time only ends what hangs. */
export const eventually = <T>(look: () => T | Promise<T>, message?: string) =>
  expect.poll(look, { timeout: 60_000, ...(message === undefined ? {} : { message }) });
