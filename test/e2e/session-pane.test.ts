// The pane of a session in a real browser: followed live to its end and beyond it, acted upon, and looked at in every language and size.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { alonePage } from '../support/alone.ts';
import { axeViolations } from '../support/axe.ts';
import { browserTest, testBrowser } from '../support/browser.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox } = service;
const server = await service.startHere();
const client = server.test;
const numbers = scenarioNumbers(sandbox.scenarioPrefix);
const alone = await alonePage(sandbox.httpUrl);

/** The way from the page to the service; with the test key, whose channels play every scenario, unless it is said otherwise. */
async function announce(to: { http: string; grpc: string } | null, key = service.testKey): Promise<void> {
  const body = JSON.stringify(to && { http: to.http, grpc: to.grpc, api_key: key });
  const { status } = await fetch(`${sandbox.httpUrl}/sandbox/service`, { method: 'POST', body });
  expect(status).toBe(204);
}
await announce(server);

/** Set to look at the pages: the pictures land there. */
const pictures = process.env.RAMZ_TEST_PICTURES;

let page: Page | undefined;
let complaints: string[] = [];
afterEach(async () => {
  await page?.context().close();
  page = undefined;
});

interface Look {
  width?: number;
  locale?: string;
}

async function open(query: string, { width = 512, locale = 'en' }: Look = {}): Promise<Page> {
  complaints = [];
  const context = await (await testBrowser()).newContext({ viewport: { width, height: 900 }, locale });
  page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${alone}?${query}`);
  return page;
}

const sees = (shown: Page, text: string | RegExp) => shown.getByText(text).first().waitFor({ timeout: 60_000 });
/** By the whole text: "delivered" has these letters, too. */
const seesLive = (shown: Page) => shown.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 });

const cascade = [
  { channel: 'sms', timeout_seconds: 20 },
  { channel: 'whatsapp', timeout_seconds: 60 },
  { channel: 'voice', timeout_seconds: 60 },
];

browserTest('a cascade is drawn while it happens', async () => {
  const to = numbers.app_unreachable;
  const shown = await open(`to=${encodeURIComponent(to)}`);
  await sees(shown, `No session to ${to} yet`);
  const { id } = await client.send(to, { cascade });
  await sees(shown, id);
  await seesLive(shown);
  await sees(shown, 'next, if no receipt comes');
  await sees(shown, /no receipt in \d+(\.\d)? s/);
  await sees(shown, 'the number is not on WhatsApp');
  await sees(shown, 'code heard');
  await shown.getByPlaceholder('Code from the phone').fill('000000');
  await shown.keyboard.press('Enter');
  await sees(shown, 'Right: the number is verified.');
  await shown.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
  await sees(shown, 'hung up');
  await shown.getByText(/^Full history/).click();
  for (const words of ['right code: verified', 'the code reached the phone', 'time is up']) await sees(shown, words);
  await shown.getByRole('tab', { name: /Webhooks/ }).click();
  const verified = shown.locator('summary', { hasText: 'session.verified' });
  await verified.waitFor();
  expect(await verified.getByRole('img', { name: 'Signature is right' }).count()).toBe(1);
  await verified.click();
  await sees(shown, '"type": "session.verified"');
  await shown.getByRole('tab', { name: 'JSON' }).click();
  await sees(shown, `/v1/verify/sessions/${id}`);
  expect(complaints).toEqual([]);
});

browserTest('a receipt that comes when the session is over is shown, too', async () => {
  await announce(server, service.liveKey);
  const to = numbers.sms_late;
  const { atlas } = sandbox.smscs;
  atlas.holdReceipts();
  const shown = await open(`to=${encodeURIComponent(to)}`);
  await sees(shown, `No session to ${to} yet`);
  await server.live.send(to, { cascade: [{ channel: 'sms', timeout_seconds: 60 }] });
  await seesLive(shown);
  await shown.locator('[data-kind=submitted]').waitFor();
  await shown.getByRole('button', { name: 'Cancel' }).click();
  await sees(shown, 'canceled by a call');
  await shown.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
  // The stream has ended with the session.
  expect(await shown.getByText('DELIVRD').count()).toBe(0);
  atlas.releaseReceipts();
  await sees(shown, 'DELIVRD');
  await announce(server);
});

browserTest('a wrong code, a resend and a cancel say in plain words what they did', async () => {
  const { id } = await client.send('+213557400001');
  const shown = await open(`id=${id}`);
  await sees(shown, 'DELIVRD');
  const code = shown.getByPlaceholder('Code from the phone');
  const answered = async (typed: string, words: string) => {
    await code.fill(typed);
    await shown.getByRole('button', { name: 'Check' }).click();
    await sees(shown, words);
  };
  await answered('123456', 'Wrong: it is another code.');
  await sees(shown, '4 tries left');
  await sees(shown, 'wrong code');
  await answered('12', 'A code has 4 to 10 digits.');
  expect(await shown.getByRole('button', { name: /^Send again in 0:/ }).isDisabled()).toBe(true);
  await shown.getByRole('button', { name: 'Cancel' }).click();
  await sees(shown, 'canceled by a call');
  expect(await code.count()).toBe(0);
  expect(complaints).toEqual([]);
});

browserTest('an exhausted session can be sent again, and shows both sends', async () => {
  const { id } = await client.send(numbers.sms_rejected, { cascade: [{ channel: 'sms' }], purpose: 'again' });
  const shown = await open(`id=${id}`);
  await sees(shown, 'not delivered');
  await shown.getByRole('button', { name: 'Send again' }).click();
  await sees(shown, 'Send 2');
  expect((await client.session(id)).messages).toHaveLength(2);
});

browserTest('of a number the newest session is shown, as soon as there is one', async () => {
  const to = '+213557400002';
  const shown = await open(`to=${encodeURIComponent(to)}`);
  await sees(shown, `No session to ${to} yet`);
  const first = await client.send(to, { purpose: 'first' });
  await sees(shown, first.id);
  const second = await client.send(to, { purpose: 'second' });
  await sees(shown, second.id);
  expect(await shown.getByText(first.id).count()).toBe(0);
});

browserTest('the pane comes back when the service does, and says meanwhile that it is away', async () => {
  const { id } = await client.send('+213557400003');
  const shown = await open(`id=${id}`);
  await seesLive(shown);
  const second = await service.startHere();
  await announce(null);
  await server.app.close();
  await sees(shown, 'Connecting again …');
  await announce(second);
  await seesLive(shown);
  await second.test.check(id, '000000');
  await sees(shown, 'verified');
  expect(complaints).toEqual([]);
});

browserTest('a session that is not there is said to be gone, and nothing selected says what to do', async () => {
  const shown = await open('id=vrf_01k6h2q8z9e0f3m7x2c5v8b4nt');
  await sees(shown, 'There is no such session any more.');
  await shown.goto(alone);
  await sees(shown, 'Nothing selected');
});

/** Between them they have every kind of mark and every part of the pane. */
const stories = ['app_unreachable', 'sms_late', 'under_way', 'resent', 'wrong_until_failed', 'voice_no_answer'];

/** Labels of the picture, of which a part is not seen. */
const cutLabels = `[...document.querySelectorAll('article [class*=labels] > span')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

describe('looked at', () => {
  const looks = [
    { scheme: 'light', lang: 'en', width: 512 },
    { scheme: 'dark', lang: 'ar', width: 512 },
    { scheme: 'light', lang: 'ar', width: 320 },
    { scheme: 'dark', lang: 'fr', width: 320 },
  ];
  for (const { scheme, lang, width } of looks) {
    browserTest(`${scheme}, ${lang}, ${width} px: nothing overflows or is cut, nothing for axe to say`, async () => {
      const shown = await open('', { width });
      for (const story of stories) {
        await shown.goto(`${alone}?story=${story}&scheme=${scheme}&lang=${lang}`);
        await shown.locator('article').waitFor();
        expect(await shown.getAttribute('html', 'dir')).toBe(lang === 'ar' ? 'rtl' : 'ltr');
        await shown.locator('article details > summary').first().click();
        expect(await shown.evaluate('document.documentElement.scrollWidth - innerWidth'), story).toBeLessThanOrEqual(0);
        expect(await shown.evaluate(cutLabels), story).toEqual([]);
        expect(await axeViolations(shown), story).toEqual([]);
        if (pictures) {
          mkdirSync(pictures, { recursive: true });
          await shown.screenshot({
            path: join(pictures, `session-${story}-${scheme}-${lang}-${width}.png`),
            fullPage: true,
          });
        }
        expect(complaints).toEqual([]);
      }
    });
  }
});

browserTest('a keyboard reaches every mark, and its details are shown there', async () => {
  const shown = await open('story=sms_late');
  await shown.locator('article').waitFor();
  const marks = shown.locator('article section[aria-label] button');
  const count = await marks.count();
  expect(count).toBeGreaterThan(5);
  await marks.first().focus();
  for (let index = 0; index < count; index += 1) {
    const label = await shown.evaluate('document.activeElement.getAttribute("aria-label")');
    expect(label).toBe(await marks.nth(index).getAttribute('aria-label'));
    const tip = shown.locator('[role=tooltip]').last();
    // An empty one says nothing.
    await until(async () => String(label).startsWith((await tip.textContent())?.slice(0, 8) || '–'), {
      what: `details of ${label}`,
    });
    await shown.keyboard.press('Tab');
  }
});

browserTest('a picture moves while a leg is under way; who wants no motion sees it change by the second', async () => {
  const shown = await open('story=under_way&ago=0');
  const lane = shown.locator('[data-outcome=under_way]').first();
  await lane.waitFor();
  const changes = `new Promise((resolve) => {
    let count = 0;
    const seen = new MutationObserver(() => { count += 1; });
    seen.observe(document.querySelector('[data-outcome=under_way]'), { subtree: true, attributes: true });
    setTimeout(() => resolve(count), 1_500);
  })`;
  await until(async () => Number(await shown.evaluate(changes)) > 8, { what: 'a picture that moves' });
  await shown.emulateMedia({ reducedMotion: 'reduce' });
  const animations = '[...document.querySelectorAll("article *")].map((each) => getComputedStyle(each).animationName)';
  expect(new Set((await shown.evaluate(animations)) as string[])).toEqual(new Set(['none']));
  await until(async () => Number(await shown.evaluate(changes)) <= 4, { what: 'a picture that is calm' });
});
