// The phones page by keyboard alone: everything is reached, what is in focus is seen, and focus is never lost when what had it goes.
import type { Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { eventually, menuOpens, phoneOf, phonesPage, storyOn } from '../support/phones-page.ts';

const { open, reset, order, sandbox } = await phonesPage();
afterEach(reset);
const first = '+213550000001';

/**
 * The element in focus: its name, and whether a person sees that it is the one. Fields draw their border instead; the document itself is between its last
 * element and its first one.
 */
const focusNow = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return { name: '', isSeen: true };
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height } = element.getBoundingClientRect();
  const name = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent ?? '';
  return { name: name.replace(/\\s+/g, ' ').trim(), isSeen: element.matches('input, select, pre') || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width * height > 0) };
})()`;
const focusOf = (page: Page) => page.evaluate<{ name: string; isSeen: boolean }>(focusNow);

/** Presses Tab until the element of that name is in focus; each stop on the way is one that a person sees. */
async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  const stops: string[] = [];
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    stops.push(focus.name);
    expect(focus.isSeen, `focus on "${focus.name}" is seen`).toBe(true);
    if (name.test(focus.name)) return;
  }
  throw new Error(`Tab never came to ${name}: ${stops.join(' | ')}`);
}

const expectFocusKept = (page: Page, what: string) =>
  eventually(() => page.evaluate<boolean>('document.activeElement !== document.body'), what).toBe(true);

browserTest('a code is sent, copied, and checked', async () => {
  const page = await open();
  await page.locator('[data-scenario]').first().waitFor();
  await tabTo(page, /^Skip to the phones$/);
  await page.keyboard.press('Enter');
  await eventually(() => page.evaluate('document.activeElement.id')).toBe('phones');
  await tabTo(page, /^Send a code$/);
  await page.keyboard.press('Enter');
  const copy = phoneOf(page, first).getByRole('button', { name: /^Copy code/ });
  await copy.waitFor();
  await expectFocusKept(page, 'focus after the first code was sent');
  await eventually(() => page.locator('[data-announcer]').textContent()).toMatch(/^SMS from Ramz on/);
  await tabTo(page, /^Copy code \d{6}$/);
  await page.keyboard.press('Space');
  await page.getByText(/^Code \d{6} copied/).waitFor();
  await tabTo(page, /^Code from the phone$/);
  await page.keyboard.press('Control+V');
  await page.keyboard.press('Enter');
  await page.getByText('Right: the number is verified.').waitFor();
  await expectFocusKept(page, 'focus after the code was checked');
  await tabTo(page, /^Receipts/);
  await page.keyboard.press('ArrowRight');
  await page
    .getByRole('region', { name: 'Session', exact: true })
    .getByRole('tab', { name: /^Webhooks/, selected: true })
    .waitFor();
  await tabTo(page, /^Send: Operator refuses the SMS$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await eventually(() => storyOn(page)).toContain('SMS atlas refused');
});

browserTest('a mood is chosen by arrows, left by Escape, and made well again', async () => {
  const page = await open();
  await page.locator('[data-scenario]').first().waitFor();
  await tabTo(page, /^Atlas/);
  await page.keyboard.press('Enter');
  await menuOpens(page);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await eventually(async () => (await focusOf(page)).name).toMatch(/^Atlas/);
  await page.keyboard.press('Enter');
  await menuOpens(page);
  for (let down = 0; !(await focusOf(page)).name.startsWith('Silent'); down += 1) {
    expect(down).toBeLessThan(8);
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await eventually(() => sandbox.smscs.atlas.mood).toBe('silent');
  await eventually(async () => (await focusOf(page)).name).toMatch(/^Atlas/);
  await tabTo(page, /^All well again$/);
  await page.keyboard.press('Space');
  await eventually(() => sandbox.smscs.atlas.mood).toBe('well');
  await page.getByRole('button', { name: 'All well again' }).waitFor({ state: 'detached' });
  await expectFocusKept(page, 'focus after all was made well');
});

browserTest(
  'a call is answered, a key pressed, and hung up; clearing leaves focus on the page',
  async () => {
    const page = await open();
    await page.locator('[data-scenario=app_unreachable]').waitFor();
    // What comes before the call is quick, so that the test is.
    await order({ action: 'mood', of: 'atlas', mood: 'refusing' });
    const to = '+213550000008';
    await order({ action: 'voice_person', to, present: true });
    await tabTo(page, /^Send: Down to the phone call$/);
    await page.keyboard.press('Enter');
    const phone = phoneOf(page, to);
    await phone.getByRole('group', { name: 'Incoming call' }).waitFor();
    await tabTo(page, /^Answer$/);
    await page.keyboard.press('Enter');
    await phone.getByRole('button', { name: 'Hang up' }).waitFor();
    await expectFocusKept(page, 'focus after the call was answered');
    await tabTo(page, /^Press 1$/);
    await page.keyboard.press('Space');
    await phone.getByText('pressed 1').waitFor();
    await tabTo(page, /^Hang up$/);
    await page.keyboard.press('Enter');
    await phone.getByRole('group', { name: 'Calls' }).waitFor();
    await expectFocusKept(page, 'focus after the call was hung up');
    await tabTo(page, /^Clear$/);
    await page.keyboard.press('Enter');
    await phone.waitFor({ state: 'detached' });
    await expectFocusKept(page, 'focus after everything was cleared');
  },
  180_000,
);
