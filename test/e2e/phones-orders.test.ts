// Orders from the phones page that fail, which is said where they were given, and sends of one's own, each to a number that is free.
import type { Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { codeOn, eventually, expectAccessible, phoneOf, phonesPage } from '../support/phones-page.ts';

const { open, reset, order, server, complaints } = await phonesPage();
afterEach(reset);
const person = '+213550007711';

const clear = (page: Page) => page.getByRole('button', { name: 'Clear', exact: true }).click();

browserTest('an order that fails is said on the phone and beside Clear, in the sandbox’s words', async () => {
  const page = await open();
  await order({ action: 'voice_person', to: person, present: true });
  await server.live.send(person, { cascade: [{ channel: 'voice', timeout_seconds: 900 }] });
  const phone = phoneOf(page, person);
  const call = phone.getByRole('group', { name: 'Incoming call' });
  await call.waitFor();
  const words = 'the sandbox says no';
  await page.route(/\/sandbox\/(control|messages)$/, (route) => route.fulfill({ status: 400, json: { error: words } }));

  await call.getByRole('button', { name: 'Decline' }).click();
  await call.getByRole('alert').getByText(words).waitFor();
  await phone.getByRole('switch', { name: 'I answer calls myself' }).click();
  await eventually(() => phone.getByRole('alert').getByText(words).count()).toBe(2);
  await clear(page);
  await eventually(() => page.getByRole('alert').getByText(words).count()).toBe(3);
  await expectAccessible(page, 'orders that failed');
  // The browser says that the answers were 400.
  expect(complaints.splice(0).filter((text) => !text.includes(' 400 '))).toEqual([]);
});

browserTest('a number that the form offers takes a code, also where an earlier session to it is open', async () => {
  const page = await open();
  await page.getByRole('tab', { name: 'Your own' }).click();
  const form = page.getByRole('form', { name: 'Send a code of your own' });
  const press = async () => {
    const offered = await form.getByLabel('Number', { exact: true }).inputValue();
    await form.getByRole('button', { name: 'Send a code' }).click();
    await codeOn(phoneOf(page, offered));
    return offered;
  };
  const first = await press();
  expect(await press()).not.toBe(first);
  await clear(page);
  await phoneOf(page, first).waitFor({ state: 'detached' });
  await press();
});
