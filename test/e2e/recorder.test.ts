// A person records a bank in a real browser: line after line from a microphone, until the bank is written and the ZIP is downloaded. The
// microphone is Chromium's own stand-in, which plays a file.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { clipNames } from '../../src/channels/voice/clip.ts';
import { loadBank } from '../../src/channels/voice/prompts/bank.ts';
import { collect, makeBank } from '../../src/channels/voice/prompts/import.ts';
import { promptTexts } from '../../src/channels/voice/prompts/texts.ts';
import { prompts } from '../../src/cli/prompts.ts';
import { browserTest, testBrowser } from '../support/browser.ts';
import { testFolder } from '../support/folder.ts';
import { testSandbox } from '../support/sandbox.ts';
import { until } from '../support/wait.ts';
import { join as joined, recording, silence, speech, wavOf } from '../unit/channels/voice/prompts/sounds.ts';

const folder = testFolder('recorder');
const banks = join(folder, 'prompts');
const microphone = join(folder, 'microphone.wav');
const rate = 48_000;
// The file is played over and over: a word, and then time to stop.
const said = joined(silence(0.2, rate), speech(0.6, rate, 0.5), silence(1, rate));
writeFileSync(microphone, wavOf([said], { tag: 'pcm', bits: 16, rate }));
const { httpUrl } = await testSandbox({ promptsFolder: banks });

/** Set to look at the page: the pictures land there. */
const pictures = process.env.RAMZ_TEST_PICTURES;

let context: BrowserContext | undefined;
let complaints: string[] = [];
afterEach(async () => {
  await context?.close();
  context = undefined;
});

async function open(): Promise<Page> {
  complaints = [];
  const browser = await testBrowser([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${microphone}`,
    '--mute-audio',
  ]);
  context = await browser.newContext({ viewport: { width: 900, height: 860 } });
  const page = await context.newPage();
  // The browser reports each refused take as an error of its own; `speak` says the word again.
  const isRefusedTake = (text: string, url: string) => text.includes('422') && new URL(url).pathname.endsWith('/take');
  page.on('console', (message) => {
    const [text, { url }] = [message.text(), message.location()];
    if (message.type() === 'error' && !(url && isRefusedTake(text, url))) complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${httpUrl}/sandbox/recorder`);
  await page.waitForSelector('#lines button');
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

const verdict = (page: Page, kind: string) => page.waitForSelector(`#verdict.${kind}:not(:empty)`);

const isLevel = (page: Page, what: string, right: (level: number) => boolean) =>
  until(
    async () => right(Number(await page.$eval('#level', (meter) => (meter as unknown as { value: number }).value))),
    { what },
  );
const isLoud = (page: Page) => isLevel(page, 'the meter to rise', (level) => level > 0.3);
const isQuiet = (page: Page) => isLevel(page, 'the meter to fall', (level) => level < 0.05);

/**
 * The meter rises with the word, and falls behind it. A machine that stands still meanwhile cuts the word or lets the next one in: then it
 * is said again, as a person would.
 */
async function speak(page: Page): Promise<void> {
  const isWhole = async () => {
    await isQuiet(page);
    await page.keyboard.press('Space');
    await isLoud(page);
    if ((await page.textContent('#file')) === '4.wav') await picture(page, 'recorder-speaking');
    await isQuiet(page);
    await page.keyboard.press('Space');
    await page.waitForSelector('#verdict:is(.good, .bad):not(:empty)');
    return /^Good: 0\.[67]\d s\./.test((await page.textContent('#verdict')) ?? '');
  };
  await until(isWhole, { what: 'a whole word' });
}

browserTest('a bank is recorded line by line, written, and downloaded', async () => {
  const page = await open();
  expect(await page.$$eval('#lines button', (buttons) => buttons.map(({ textContent }) => textContent))).toEqual([
    ...clipNames,
  ]);
  await picture(page, 'recorder-start');
  expect(await page.isDisabled('#write')).toBe(true);
  for (const name of clipNames) {
    expect(await page.textContent('#text')).toBe(promptTexts.ar[name].text);
    expect(await page.textContent('#latin')).toBe(promptTexts.ar[name].latin);
    await speak(page);
    await page.click('#listen');
    await page.keyboard.press('Tab');
    await page.click('#next');
    await page.evaluate('document.activeElement.blur()');
  }
  await page.check('#agree');
  expect(await page.isDisabled('#write')).toBe(true);
  await page.fill('#speaker', 'Lina B.');
  await picture(page, 'recorder-all');

  const download = page.waitForEvent('download');
  await page.click('#download');
  const zip = join(folder, 'bank.zip');
  await (await download).saveAs(zip);
  expect((await download).suggestedFilename()).toBe('prompts-ar.zip');
  const collected = collect(zip, 'ar');
  expect(collected.kind === 'ok' && [...collected.files.keys()]).toEqual([
    ...clipNames.map((name) => `${name}.wav`),
    'CONSENT.txt',
  ]);
  const made = collected.kind === 'ok' ? makeBank('ar', collected.files, 'test') : null;
  expect(made).toMatchObject({ kind: 'ok' });

  await page.click('#write');
  await page.waitForSelector('#outcome.good:not(:empty)');
  await picture(page, 'recorder-written');
  const to = join(banks, 'ar');
  expect(await page.textContent('#setting')).toBe(JSON.stringify({ voice: { prompts: { ar: to } } }));
  expect(loadBank({ language: 'ar', folder: to })).toMatchObject({
    kind: 'ok',
    bank: { placeholders: [], source: { placeholder: false, licence: 'CC0-1.0' } },
  });
  expect(readFileSync(join(to, 'LICENSE'), 'utf8')).toMatch(
    /The voice in these recordings is mine\.[\s\S]*Lina B\., \d{4}-/,
  );
  expect(complaints).toEqual([]);

  // The ZIP makes the same bank, elsewhere.
  const lines: string[] = [];
  const twin = join(folder, 'twin');
  const options = { env: {}, say: (line: string) => lines.push(line), complain: () => {}, write: () => {} };
  expect(await prompts(['import', zip, '--to', twin], options), lines.join('\n')).toBe(0);
  for (const name of clipNames)
    expect(readFileSync(join(twin, `${name}.al`))).toEqual(readFileSync(join(to, `${name}.al`)));

  // Loaded again, the page still knows what was taken.
  await page.reload();
  await page.waitForSelector('#lines .taken');
  expect(await page.$$eval('#lines .taken', (buttons) => buttons.length)).toBe(clipNames.length);
});

browserTest('a take that is no speech is refused with the reason, and the line stays open', async () => {
  const page = await open();
  await page.selectOption('#language', 'fr');
  await until(async () => (await page.textContent('#text')) === 'zéro', { what: 'the French lines' });
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Space');
  // Two words with a pause between them are too long for a digit.
  for (let word = 0; word < 2; word += 1) {
    await isLoud(page);
    await isQuiet(page);
  }
  await page.keyboard.press('Space');
  expect(await (await verdict(page, 'bad')).textContent()).toMatch(
    /^Not usable: it lasts \d\.\d\d s, and may last at most 1\.50 s/,
  );
  expect(await page.$$eval('#lines .taken', (buttons) => buttons.length)).toBe(0);
  await page.keyboard.press('Enter');
  expect(await page.textContent('#text')).toBe('un');
  await picture(page, 'recorder-fr');
});

browserTest('without a microphone it says so', async () => {
  const page = await open();
  await page.evaluate('navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error("not allowed"))');
  await page.click('#record');
  expect(await (await verdict(page, 'bad')).textContent()).toBe("The microphone can't be used: not allowed");
  expect(await page.textContent('#record')).toMatch(/^Record/);
});

browserTest('pressed again before the microphone is there, one is opened, and takes are heard once', async () => {
  const page = await open();
  await page.evaluate(`{
    const devices = navigator.mediaDevices;
    const ask = devices.getUserMedia.bind(devices);
    globalThis.asked = [];
    devices.getUserMedia = (what) => new Promise((allow) => globalThis.asked.push(() => allow(ask(what))));
  }`);
  await page.keyboard.press('Space');
  await page.keyboard.press('Space');
  expect(await page.evaluate('globalThis.asked.length')).toBe(1);
  expect(await page.isDisabled('#record')).toBe(true);
  await page.evaluate('globalThis.asked[0]()');
  await page.waitForSelector('#record.on');
  await page.keyboard.press('Space');
  await page.waitForSelector('#verdict:is(.good, .bad):not(:empty)');
  await speak(page);
  expect(await page.evaluate('globalThis.asked.length')).toBe(1);
});

browserTest('from an address that is not private it says where to open it', async () => {
  const page = await open();
  await page.evaluate("Object.defineProperty(navigator, 'mediaDevices', { value: undefined })");
  await page.click('#record');
  expect(await (await verdict(page, 'bad')).textContent()).toContain('https and to 127.0.0.1 alone');
});

browserTest('a telephone shows every line of it without scrolling sideways', async () => {
  const page = await open();
  await page.setViewportSize({ width: 360, height: 740 });
  const tooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
  for (const language of ['ar', 'fr'] as const) {
    await page.selectOption('#language', language);
    await page.waitForSelector(`#text[lang=${language}]`);
    for (const name of clipNames) {
      await page.click(`#lines button:text-is("${name}")`);
      expect(await page.textContent('#text')).toBe(promptTexts[language][name].text);
      expect(await tooWide(), name).toBe(false);
    }
    const right = await page.$eval('#text', (element) => element.matches(':dir(rtl)'));
    expect(right).toBe(language === 'ar');
  }
  await picture(page, 'recorder-phone');
  await page.goto(httpUrl);
  await page.click('a[href$="/recorder"]');
  await page.waitForSelector('#lines button');
});

const post = (path: string, body: string, type = 'application/json') =>
  fetch(`${httpUrl}/sandbox/recorder${path}`, { method: 'POST', headers: { 'content-type': type }, body });

test('what other pages could send here is refused, and writes nothing', async () => {
  const wav = Buffer.from(recording(0.5, { rate: 16_000 })).toString('base64');
  const answer = await post('/take?lang=fr&name=1', JSON.stringify({ wav }), 'text/plain');
  expect(answer.status).toBe(415);
  const form = await post('/bank?lang=fr', 'speaker=x', 'application/x-www-form-urlencoded');
  expect(form.status).toBe(415);
  expect((await post('/take?lang=fr&name=..%2Fetc', JSON.stringify({ wav }))).status).toBe(400);
  expect((await post('/take?lang=fr&name=1', '{')).status).toBe(400);
  expect((await post('/nothing', '{}')).status).toBe(404);
  const missing = await post('/bank?lang=fr', JSON.stringify({ speaker: '' }));
  expect(missing.status).toBe(422);
  expect(await missing.json()).toMatchObject({ problems: expect.arrayContaining(['0.wav is missing']) });
  await until(() => !readdirSync(folder).includes('prompts') || !readdirSync(banks).includes('fr'), {
    what: 'nothing',
  });
});
