// The phones page as it is seen: in every language and direction, at every width, light and dark, with nothing for axe to say in any state.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { expectAccessible, menuOpens, overflowOf, phonesPage, shownText } from '../support/phones-page.ts';

const { open, reset, order, sandbox } = await phonesPage();
afterEach(reset);
const person = '+213550000008';

/** Scrolls nowhere but inside of its panes, and nothing of it is cut off at the side. */
async function expectFits(page: Page): Promise<void> {
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  const beyond = await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight');
  expect(beyond, 'pixels of nothing below the page').toBeLessThanOrEqual(0);
}

/** Targets smaller than 24 by 24 px that WCAG 2.2 does not except: a code in a sentence, and marks, which stand where their time is. */
const small = `[...document.querySelectorAll('button, a[href], input, select, summary')].filter((element) => {
  const { width, height } = element.getBoundingClientRect();
  const isShown = element.checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1;
  const target = element.closest('label')?.getBoundingClientRect() ?? { width, height };
  const isFree = element.dataset.kind !== undefined || getComputedStyle(element).display === 'inline';
  return isShown && !isFree && element.type !== 'checkbox' && Math.min(target.width, target.height) < 24;
}).map((element) => (element.ariaLabel ?? element.textContent) + ' ' + Math.round(element.getBoundingClientRect().height))`;

async function expectTargets(page: Page): Promise<void> {
  expect(await page.evaluate<string[]>(small)).toEqual([]);
}

const tabsOf = (page: Page) => page.locator('nav').last().getByRole('button');

/** A call that rings for the person, with messages beside it. */
async function ring(page: Page): Promise<void> {
  await order({ action: 'mood', of: 'atlas', mood: 'refusing' });
  await order({ action: 'voice_person', to: person, present: true });
  await page.locator('[data-scenario=app_unreachable]').getByRole('button').click();
  await page.locator('[data-app=call]').first().waitFor();
}

const looks = [
  { language: 'en', colorScheme: 'light', width: 1440 },
  { language: 'en', colorScheme: 'dark', width: 768 },
  { language: 'fr', colorScheme: 'light', width: 320 },
  { language: 'ar', colorScheme: 'dark', width: 1440 },
  { language: 'ar', colorScheme: 'light', width: 320 },
] as const;

describe('nothing overflows, nothing is too small, nothing for axe to say', () => {
  for (const { language, colorScheme, width } of looks) {
    browserTest(`${language}, ${colorScheme}, ${width} px`, async () => {
      const page = await open({ language, colorScheme, viewport: { width, height: 700 }, reducedMotion: 'reduce' });
      const isNarrow = width < 1000;
      const everyPane = async (what: string, panes = isNarrow ? [0, 1, 2] : [1]) => {
        for (const at of panes) {
          if (isNarrow) await tabsOf(page).nth(at).click();
          await expectFits(page);
          await expectTargets(page);
          await expectAccessible(page, `${what}, pane ${at}`);
        }
      };
      await page.locator('[data-scenario]').first().waitFor({ state: 'attached' });
      expect(await page.getAttribute('html', 'dir')).toBe(language === 'ar' ? 'rtl' : 'ltr');
      expect(await page.getAttribute('html', 'lang')).toBe(language);
      await everyPane('empty');
      if (isNarrow) await tabsOf(page).nth(0).click();
      await page.locator('[data-scenario=sms_delivered]').getByRole('button').click();
      await page.locator('[data-app=sms]').first().waitFor();
      await everyPane('with a message');
      if (isNarrow) await tabsOf(page).nth(1).click();
      await page.locator('section[data-pane=phones] button[aria-haspopup=menu]').first().click();
      await menuOpens(page);
      await expectAccessible(page, 'with a menu');
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      if (isNarrow) await tabsOf(page).nth(0).click();
      await ring(page);
      // The pane of the phones alone: it rings for 28 s only.
      await everyPane('while it rings', [1]);
      await order({ action: 'voice_answer', to: person });
      await page.locator('[data-state=answered]').waitFor({ state: 'attached' });
      await everyPane('during the call');
      // By itself it ends within half a minute, which a slow machine may have taken to look at all panes.
      const isUp = sandbox.phones?.calls.list().some(({ to, state }) => to === person && state === 'answered');
      if (isUp) await order({ action: 'voice_hang_up', to: person });
    });
  }
});

browserTest('at 200 % zoom every part is there and nothing runs over the side', async () => {
  const page = await open({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  await page.locator('[data-scenario]').first().waitFor({ state: 'attached' });
  for (const at of [0, 1, 2]) {
    await tabsOf(page).nth(at).click();
    await page.locator('section[data-shown]').waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  }
});

browserTest('from right to left numbers and codes still run from left to right, and stand apart', async () => {
  const page = await open({ language: 'ar' });
  await page.locator('[data-scenario=sms_delivered]').getByRole('button').click();
  const code = page.locator('[data-app=sms] button bdi').first();
  await code.waitFor();
  expect(await shownText(code)).toBe(/\d{6}/.exec(sandbox.smsTo('+213550000001')[0]?.text ?? '')?.[0]);
  /** Left edge of the plus sign against that of the last digit. */
  const runs = (selector: string) =>
    page.evaluate<boolean>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const text = texts.nextNode();
      const at = (index) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
      };
      return at(0) < at(text.length - 1);
    })()`);
  expect(await runs('article[aria-label] header bdi')).toBe(true);
  expect(await runs('[data-app=sms] button bdi')).toBe(true);
  await page.locator('section[data-pane=session] h2').waitFor();
  expect(await runs('section[data-pane=session] h2')).toBe(true);
  const [send, session] = await Promise.all(
    ['send', 'session'].map((pane) => page.locator(`section[data-pane=${pane}]`).boundingBox()),
  );
  expect(send?.x).toBeGreaterThan(session?.x ?? Number.POSITIVE_INFINITY);
});

type Word = string | Record<string, string>;
type Table = Record<'en' | 'fr' | 'ar', Record<string, Word>>;
const wordFiles = [
  ...['phones/words', 'network/mood-words', 'send/scenario-words', 'send/form-words', 'send/problem-words'].map(
    (name) => `phones/${name}`,
  ),
  'session/words',
];
/** The table of a file of web/, which the compiler of the tests does not read: it is written for a browser. */
async function wordsOf(name: string): Promise<Table> {
  const all: Record<string, unknown> = await import(join(import.meta.dirname, `../../web/${name}.ts`));
  return Object.values(all).find((value) => typeof value === 'object') as Table;
}

/** Each form of a word that has several. */
const formsOf = (word: Word | undefined): string[] =>
  typeof word === 'object' ? Object.values(word) : word ? [word] : [];

/** Names, and words that both languages have. */
const same = /^(SMS|WhatsApp|Messages|Pause|Session|Webhooks|JSON|Total|curl|\W*|\{\w+\}.*)$/;

browserTest('in French and Arabic no English word is left on the page', async () => {
  const tables = await Promise.all(wordFiles.map(wordsOf));
  for (const language of ['fr', 'ar'] as const) {
    for (const table of tables) {
      const own = table[language];
      const english = Object.entries(table.en).filter(([key, word]) =>
        formsOf(word).some((text) => formsOf(own[key]).includes(text) && !same.test(text)),
      );
      expect(english, language).toEqual([]);
    }
  }
  const words = tables
    .flatMap(({ en }) => Object.values(en).flatMap(formsOf))
    .filter((text) => !same.test(text) && /\w{4}/.test(text));
  for (const language of ['fr', 'ar'] as const) {
    const page = await open({ language });
    await page.locator('[data-scenario=sms_rejected]').getByRole('button').click();
    await page.locator('div[data-app=whatsapp]').waitFor();
    await page.locator('section[data-pane=session]').getByText('DELIVRD').first().waitFor();
    const shown = await shownText(page.locator('body'));
    const left = words.filter((text) => new RegExp(`(^|\\W)${text.replace(/[^\w\s’]/g, '.')}(\\W|$)`).test(shown));
    expect(left, language).toEqual([]);
    // The words of machines, such as DELIVRD and the platform's `sent`, and names stay; and a message is in the language of its template.
    const english = /\b(the|and|of|send|sent|code|message|phone|session|call|receipt|error)\b/i;
    if (language === 'ar')
      expect(shown.split('\n').filter((line) => !/\d{6}|^sent$/.test(line.trim()) && english.test(line))).toEqual([]);
  }
});
