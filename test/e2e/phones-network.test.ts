// The network by the switches of the phones page, and calls that the person at the page takes: each mood is seen in the session of the next
// send, and all is well again by one button.
import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { codeOn, eventually, phoneOf, phonesPage, storyOn } from '../support/phones-page.ts';
import { bindsOf } from '../support/service.ts';
import { until } from '../support/wait.ts';

// A mood is an alarm of the server.
const { sandbox, server, open, reset } = await phonesPage({ errorsExpected: true });
afterEach(reset);

const chip = (page: Page, name: string) =>
  page.getByRole('region', { name: 'The network' }).getByRole('button', { name: new RegExp(`^${name}`) });

async function switchTo(page: Page, name: string, mood: string): Promise<void> {
  await chip(page, name).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${mood}`) }).click();
  await eventually(() => chip(page, name).textContent()).toContain(mood);
}

const scenario = (page: Page, name: string) => page.locator(`[data-scenario=${name}]`).getByRole('button');

const operatorIsBound = () =>
  until(async () => ((await bindsOf(server)).atlas ?? 0) > 0, { what: 'the binds to be back' });

/** What the next send under a mood looks like: lines that its picture has. */
const effects = [
  { of: 'Atlas', mood: 'Slow', send: 'sms_delivered', story: ['SMS atlas delivered', '• receipt: DELIVRD'] },
  { of: 'Atlas', mood: 'Throttling', send: 'sms_delivered', story: ['WhatsApp delivered'] },
  { of: 'Atlas', mood: 'Silent', send: 'sms_delivered', story: ['SMS atlas timed out', 'WhatsApp delivered'] },
  { of: 'Atlas', mood: 'Stuck', send: 'sms_delivered', story: ['WhatsApp delivered'] },
  { of: 'Atlas', mood: 'Unbinding', send: 'sms_delivered', story: ['SMS atlas delivered', '• receipt: DELIVRD'] },
  { of: 'Atlas', mood: 'Down', send: 'sms_delivered', story: ['WhatsApp delivered'] },
  { of: 'Atlas', mood: 'Refusing', send: 'sms_delivered', story: ['SMS atlas refused', 'WhatsApp delivered'] },
  { of: 'WhatsApp', mood: 'Refusing', send: 'sms_rejected', story: ['WhatsApp refused', 'Call delivered'] },
  { of: 'Calls', mood: 'Refusing', send: 'app_unreachable', story: ['Call failed', '• no leg is left'] },
];

describe('a mood of the page is seen in the next session, and all is well again by one button', () => {
  for (const { of, mood, send, story } of effects) {
    browserTest(`${of}: ${mood}`, async () => {
      await operatorIsBound();
      const page = await open();
      await switchTo(page, of, mood);
      await scenario(page, send).click();
      await eventually(() => storyOn(page)).toEqual(expect.arrayContaining(story));
      if (mood === 'Slow') {
        const taken = await page.getByRole('button', { name: /^taken by the carrier/ }).getAttribute('aria-label');
        expect(Number(/\(\+([\d.]+) s\)/.exec(taken ?? '')?.[1])).toBeGreaterThanOrEqual(3);
      }
      await page.getByRole('button', { name: 'All well again' }).click();
      await eventually(() => chip(page, of).textContent()).toContain('Well');
      await page.getByRole('button', { name: 'All well again' }).waitFor({ state: 'detached' });
      await operatorIsBound();
      await scenario(page, 'sms_early_receipt').click();
      await page.getByText('+213550000007').waitFor();
      await eventually(() => storyOn(page)).toContain('SMS atlas delivered');
    });
  }
});

/** A call to the number of a scenario whose phone is on the page already. */
async function callPhone(page: Page, number: string): Promise<Locator> {
  await scenario(page, 'sms_early_receipt').click();
  const phone = phoneOf(page, number);
  await phone.getByRole('switch', { name: 'I answer calls myself' }).click();
  await eventually(() => phone.getByRole('switch').isChecked()).toBe(true);
  await page.getByRole('tab', { name: 'Your own' }).click();
  for (const channel of ['SMS', 'WhatsApp']) await page.getByRole('checkbox', { name: channel }).uncheck();
  await page.getByLabel('Number', { exact: true }).fill(number);
  await page.getByRole('form').getByRole('button', { name: 'Send a code' }).click();
  await phone.getByRole('group', { name: 'Incoming call' }).waitFor();
  return phone;
}

browserTest(
  'a call is answered by the person: it is heard, a key is pressed, the code is spoken, and it ends by the person',
  async () => {
    const page = await open();
    const number = '+213550000007';
    const phone = await callPhone(page, number);
    await phone.getByRole('button', { name: 'Answer' }).click();
    const at = () => phone.locator('audio').evaluate((audio) => (audio as unknown as HTMLAudio).currentTime);
    await eventually(at).toBeGreaterThan(0);
    const before = await at();
    await eventually(at).toBeGreaterThan(before);
    expect(await phone.getByRole('button', { name: /^Copy code/ }).count()).toBe(0);
    await phone.getByRole('button', { name: 'Press 1', exact: true }).click();
    await phone.getByText('pressed 1').waitFor();
    await phone.getByRole('button', { name: /^Copy code \d{6}$/ }).waitFor();
    const heard = await codeOn(phone);
    await eventually(() => storyOn(page)).toContain('• call: code heard');
    await phone.getByRole('button', { name: 'Hang up' }).click();
    await phone
      .getByRole('group', { name: 'Calls' })
      .getByText(/^Call · \d:\d\d$/)
      .waitFor();
    await eventually(() => storyOn(page)).toContain('• call: hung up');
    const pane = page.getByRole('region', { name: 'Session', exact: true });
    await pane.getByPlaceholder('Code from the phone').fill(heard);
    await pane.getByRole('button', { name: 'Check' }).click();
    await pane.getByText('Right: the number is verified.').waitFor();
    // A player of its own, which has played nothing yet.
    expect(await at()).toBe(0);
    await phone.getByRole('button', { name: 'Play the call' }).click();
    await eventually(at).toBeGreaterThan(0);
  },
);

interface HTMLAudio {
  currentTime: number;
}

browserTest('a call that the person declines is declined in the session and missed on the phone', async () => {
  const page = await open();
  const phone = await callPhone(page, '+213550000007');
  await phone.getByRole('button', { name: 'Decline' }).click();
  await eventually(() => storyOn(page)).toEqual(
    expect.arrayContaining(['Call failed', '• call: declined', 'the call was declined', '• no leg is left']),
  );
  await phone.getByRole('group', { name: 'Calls' }).getByText('Declined call').waitFor();
  expect(sandbox.inbox.list({ to: '+213550000007', channel: 'voice' })).toEqual([]);
});
