// The phones page in a real browser, before the real sandbox and service: what is sent from it arrives on its phones, a code is copied, a
// call is answered by the person at the page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import { BuiltPages } from '../../src/pages/built-pages.ts';
import { axeViolations } from '../support/axe.ts';
import { browserTest as test, testBrowser } from '../support/browser.ts';
import { testFolder } from '../support/folder.ts';
import { copyCode } from '../support/phones-page.ts';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const folder = testFolder('pages');
const service = await testService({ sandbox: { pages: new BuiltPages(folder) } });
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging, voice: sandbox.voice });
const server = await service.startHere();
const { httpUrl } = sandbox;

const post = async (path: string, body: object | null) => {
  const answer = await fetch(httpUrl + path, { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status).toBe(204);
};

beforeAll(async () => {
  const key = '0123456789abcdef';
  const vite = 'node_modules/vite/bin/vite.js';
  const args = [
    'build',
    '--config',
    'web/vite.config.ts',
    '--logLevel',
    'warn',
    '--outDir',
    join(folder, key, 'phones'),
  ];
  const built = await startScript(vite, { args, env: { RAMZ_PAGE: 'phones', NODE_ENV: 'production' } }).exit(120_000);
  expect(built.code).toBe(0);
  writeFileSync(join(folder, 'current'), key);
  await post('/sandbox/service', { http: server.http, grpc: server.grpc, api_key: service.liveKey });
});

/** Set to look at the pages: the pictures land there. */
const pictures = process.env.RAMZ_TEST_PICTURES;

let context: BrowserContext | undefined;
/** What the browser complained of, above all what the policy forbade. */
let complaints: string[] = [];
afterEach(async () => {
  await context?.close();
  context = undefined;
  await post('/sandbox/control', { action: 'reset' });
  for (const path of ['/sandbox/messages', '/sandbox/webhooks']) await fetch(httpUrl + path, { method: 'DELETE' });
  expect(complaints).toEqual([]);
});

async function open(options: BrowserContextOptions = {}, language = 'en'): Promise<Page> {
  complaints = [];
  const browser = await testBrowser(['--mute-audio']);
  const permissions = ['clipboard-read', 'clipboard-write'];
  context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions,
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${httpUrl}/?lang=${language}`);
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `phones-${name}.png`) });
}

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

const phone = (page: Page, number: string): Locator => page.getByRole('article', { name: `Phone ${number}` });

const ownForm = (page: Page): Locator => page.getByRole('form', { name: 'Send a code of your own' });

/** The button of a code in a text. */
const codeOn = (screen: Locator): Locator => screen.getByRole('button', { name: /^Copy code \d+$/ });

test('a first visitor sends a code with the one big button, and copies it from the phone', async () => {
  const page = await open();
  await picture(page, 'first');
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send a code', exact: true }).click();
  const screen = phone(page, '+213 550 00 00 01').getByRole('group', { name: 'Messages' });
  await codeOn(screen).click();
  const code = /\d{6}/.exec((await screen.textContent()) ?? '')?.[0];
  expect(await sandbox.codeTo('+213550000001')).toBe(code);
  await page.getByText(`Code ${code} copied`).waitFor();
  expect(await clipboard(page)).toBe(code);
  await picture(page, 'sms');
  expect(await axeViolations(page)).toEqual([]);
});

test('a refused SMS is followed by WhatsApp, as its picture says', async () => {
  const page = await open({ colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Send: Operator refuses the SMS' }).click();
  const screen = phone(page, '+213 550 00 00 04').getByRole('group', { name: 'WhatsApp' });
  await screen.getByText('Valid for 10 minutes.').waitFor();
  const copied = await copyCode(screen);
  expect(await screen.textContent()).toContain(`${copied} is your code.`);
  await picture(page, 'whatsapp');
  expect(await axeViolations(page)).toEqual([]);
});

test('the person at the page answers a call, presses a key, sees the code spoken, and hangs up', async () => {
  const page = await open();
  await page.getByRole('tab', { name: 'Your own' }).click();
  for (const channel of ['SMS', 'WhatsApp']) await page.getByRole('checkbox', { name: channel }).uncheck();
  await page.getByLabel('Number', { exact: true }).fill('0550 00 77 01');
  await post('/sandbox/control', { action: 'voice_person', to: '+213550007701', present: true });
  await ownForm(page).getByRole('button', { name: 'Send a code' }).click();
  const device = phone(page, '+213 550 00 77 01');
  await device.getByRole('group', { name: 'Incoming call' }).waitFor();
  await picture(page, 'ringing');
  await device.getByRole('button', { name: 'Answer' }).click();
  const { calls: taken } = sandbox.phones!;
  const call = await until(() => taken.list().find(({ to, state }) => to === '+213550007701' && state !== 'ringing'), {
    what: 'the answer of the call',
  });
  expect(call).toMatchObject({ state: 'answered', end: null });
  await device.getByRole('button', { name: 'Press 1' }).click();
  await device.getByRole('button', { name: /^Copy code \d{6}$/ }).waitFor();
  await picture(page, 'call');
  await device.getByRole('button', { name: 'Hang up' }).click();
  const calls = device.getByRole('group', { name: 'Calls' });
  await calls.getByText(/^Call · \d:\d\d$/).waitFor();
  await calls.getByRole('button', { name: 'Play the call' }).click();
  await calls.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

test('an operator that is down is seen, and made well again', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Atlas Well' }).click();
  await page.getByRole('menuitem', { name: /^Down/ }).click();
  await page.getByRole('button', { name: 'Atlas Down' }).waitFor();
  await page.getByRole('button', { name: 'All well again' }).click();
  await page.getByRole('button', { name: 'Atlas Well' }).waitFor();
});

for (const language of ['en', 'fr', 'ar'])
  test(`at 320 px nothing runs over the side, in ${language}`, async () => {
    const page = await open({ viewport: { width: 320, height: 640 } }, language);
    const tabs = page.locator('nav').last().getByRole('button');
    for (const at of [0, 1, 2]) {
      await tabs.nth(at).click();
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(over).toBeLessThanOrEqual(0);
      expect(await axeViolations(page)).toEqual([]);
    }
    await picture(page, `320-${language}`);
  });

test('what is wrong is said: a number that is none, a server that is down', async () => {
  const page = await open();
  await page.getByRole('tab', { name: 'Your own' }).click();
  await page.getByLabel('Number', { exact: true }).fill('12');
  await ownForm(page).getByRole('button', { name: 'Send a code' }).click();
  const wrong = 'This is not a mobile number in international format.';
  await ownForm(page).getByText(wrong).waitFor();
  // For those who do not see it.
  await page.locator('[data-announcer]').getByText(wrong).waitFor();
  await post('/sandbox/service', null);
  await page.getByText('The server is down').waitFor();
  await picture(page, 'down');
  expect(await axeViolations(page)).toEqual([]);
  await post('/sandbox/service', { http: server.http, grpc: server.grpc, api_key: service.liveKey });
  await page.getByText('Live', { exact: true }).first().waitFor();
  // The browser says that the answer was 400, and 503 where the page asked while the server was down.
  await until(() => complaints.length > 0, { what: 'the complaint' });
  complaints = complaints.filter((text) => !/ 400 | 503 /.test(text));
});
