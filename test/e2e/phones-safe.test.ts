// The phones page where things go wrong or are meant to: hostile texts, the key that no page may have, a server that is down, a sandbox that
// starts again, two tabs, a hidden tab, and a load test that fills the inbox.
import type { Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { codeOn, eventually, phoneOf, phonesPage, shownText } from '../support/phones-page.ts';
import { until } from '../support/wait.ts';

const { sandbox, service, server, open, reset, announce, complaints } = await phonesPage();
afterEach(reset);
const first = '+213550000001';
const send = (page: Page, name = 'sms_delivered') =>
  page.locator(`[data-scenario=${name}]`).getByRole('button').click();
/** As the browser does to a tab that another one covers. */
const hide = (page: Page, hidden = true) =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
const startedAt = Date.now();
let arrived = 0;
/** Each a little later than the one before. */
const arrives = (from: string, to: string, text: string, channel = 'sms') => {
  arrived += 1;
  const received_at = new Date(startedAt + arrived).toISOString();
  sandbox.inbox.add({ channel, from, to, text, operator: channel === 'sms' ? 'atlas' : null, received_at });
};

/** What the endpoint was told of sends to the first phone. */
const told = () => sandbox.events().flatMap(({ type, data }) => (data.to === first ? [type] : []));
const webhooksCome = () =>
  until(() => ['message.submitted', 'receipt.updated'].every((type) => told().includes(type)), {
    what: 'the webhooks of a send that is delivered',
  });

browserTest('the page never has the key, neither in what it loads nor in what it asks or shows', async () => {
  const page = await open();
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    const { 'content-type': type = '' } = response.headers();
    if (!/event-stream|connect\+/.test(type)) texts.push(response.text().catch(() => ''));
  });
  page.on('request', (request) => texts.push(Promise.resolve(JSON.stringify(request.headers()) + request.postData())));
  await page.reload();
  await send(page);
  const phone = phoneOf(page, first);
  await codeOn(phone);
  await page.getByRole('tab', { name: 'JSON' }).click();
  texts.push(page.content());
  texts.push(page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'));
  const events = await fetch(`${sandbox.httpUrl}/sandbox/events`);
  const hello = await events.body?.getReader().read();
  texts.push(Promise.resolve(new TextDecoder().decode(hello?.value)));
  const all = (await Promise.all(texts)).join('\n');
  expect(all).toContain(first);
  expect(service.liveKey).toMatch(/^ramz_live_/);
  expect(all).not.toContain(service.liveKey.slice(0, 14));
});

browserTest('without site data the page is there, and what is chosen holds as long as it is', async () => {
  const page = await open();
  // As in Firefox, whose shared workers throw as well: those of Chromium tell the page of an error.
  await page.addInitScript(`{
    const blocked = function () { throw new DOMException('The operation is insecure.', 'SecurityError'); };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: blocked });
    window.SharedWorker = blocked;
  }`);
  await page.goto(sandbox.httpUrl);
  await page.getByText('Live', { exact: true }).first().waitFor();
  await page.context().grantPermissions(['notifications']);
  await page.getByRole('button', { name: 'Notify me of what arrives' }).click();
  await page.getByRole('button', { name: 'Stop notifications' }).waitFor();
  await page.getByRole('combobox', { name: 'Language' }).selectOption('fr');
  await page.locator('html[lang=fr]').waitFor();
});

browserTest('a page under its policy: no inline script runs, nothing of another origin is loaded', async () => {
  const page = await open();
  const policy = (await page.request.get(sandbox.httpUrl)).headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  await page.evaluate(`{
    const script = document.createElement('script');
    script.textContent = 'globalThis.wasRun = true';
    document.body.append(script);
  }`);
  await until(() => complaints.length > 0, { what: 'the browser to refuse the script' });
  expect(complaints.splice(0).join()).toContain('Content Security Policy');
  expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
});

browserTest('markup in a sender and in texts is shown as text', async () => {
  const page = await open();
  const image = '<img src=x onerror=alert(1)>';
  arrives('<b>Ramz</b>', first, `${image} code 123456`);
  arrives(
    image,
    first,
    `${image} 123456
<i>foot</i>`,
    'whatsapp',
  );
  const phone = phoneOf(page, first);
  await phone.getByRole('group', { name: 'WhatsApp' }).getByText('<i>foot</i>').waitFor();
  await phone
    .getByRole('navigation')
    .getByRole('button', { name: /^Messages/ })
    .click();
  await phone.getByText(image).waitFor();
  await phone.getByText('<b>Ramz</b>').first().waitFor();
  expect(await phone.locator('img[src=x], b, i:not(:empty)').count()).toBe(0);
});

browserTest('loaded again, the page shows what was there; cleared, nothing, in every tab', async () => {
  const page = await open();
  const other = await open();
  // Cleared by one tab, sent by the other: neither waits for the code any longer.
  await send(other);
  const code = await codeOn(phoneOf(page, first));
  expect(await codeOn(phoneOf(other, first))).toBe(code);
  await page.reload();
  expect(await codeOn(phoneOf(page, first))).toBe(code);
  await page.getByRole('region', { name: 'Session', exact: true }).getByText('DELIVRD').first().waitFor();
  // Nothing of it is still under way when all is cleared.
  await webhooksCome();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  for (const tab of [page, other]) {
    await phoneOf(tab, first).waitFor({ state: 'detached' });
    await tab.getByRole('button', { name: 'Send a code', exact: true }).waitFor();
  }
  expect(sandbox.inbox.size).toBe(0);
  expect(sandbox.sink.list()).toEqual([]);
});

browserTest('the filter shows phones by their number, and all again by Escape', async () => {
  const page = await open();
  for (const to of ['+213550004001', '+213550004002', '+213661234567']) arrives('Ramz', to, 'code 123456');
  const phones = page.getByRole('article', { name: /^Phone/ });
  await eventually(() => phones.count()).toBe(3);
  const filter = page.getByPlaceholder('Filter by number').first();
  await filter.fill('0661');
  await eventually(() => phones.count()).toBe(1);
  expect(await phoneOf(page, '+213661234567').count()).toBe(1);
  await filter.press('Escape');
  await eventually(() => phones.count()).toBe(3);
});

browserTest(
  'no phone moves under the pointer of a person, or takes the focus along, when another one is newer',
  async () => {
    const page = await open();
    const [older, newer] = ['+213550004001', '+213550004002'] as const;
    for (const to of [older, newer]) arrives('Ramz', to, 'code 111111');
    /** The last digits of their numbers, in their order. */
    const places = () =>
      page.evaluate<string>(
        `[...document.querySelectorAll('article[aria-label^=Phone]')].map((phone) => phone.ariaLabel.at(-1)).join('')`,
      );
    await eventually(places).toBe('21');
    const stays = async (text: string) => {
      arrives('Ramz', older, text);
      await phoneOf(page, older).getByText(text).waitFor();
      expect(await places()).toBe('21');
    };
    const calls = phoneOf(page, newer).getByRole('navigation').getByRole('button', { name: 'Calls' });
    await calls.hover();
    await stays('code 222222');
    await page.mouse.down();
    await stays('code 333333');
    await page.mouse.up();
    await phoneOf(page, newer).getByRole('group', { name: 'Calls' }).waitFor();
    await page.mouse.move(0, 0);
    await stays('code 444444');
    expect(await calls.and(page.locator(':focus')).count()).toBe(1);
    await page.getByPlaceholder('Filter by number').first().focus();
    await eventually(places).toBe('12');
  },
);

browserTest('what arrives while the tab is hidden is counted in its title, until it is looked at', async () => {
  const page = await open();
  await page.getByText('Live', { exact: true }).first().waitFor();
  const title = await page.title();
  await hide(page);
  // One after another: the page is drawn in between.
  for (const [index, text] of ['code 111111', 'code 222222', 'code 333333'].entries()) {
    arrives('Ramz', first, text);
    await eventually(() => page.title()).toBe(`(${index + 1}) ${title}`);
  }
  await hide(page, false);
  await eventually(() => page.title()).toBe(title);
});

browserTest('seven tabs of one browser leave it connections: a mood and a code still reach the server', async () => {
  const page = await open();
  await send(page);
  const code = await codeOn(phoneOf(page, first));
  const session = (tab: Page) => tab.getByRole('region', { name: 'Session', exact: true });
  let last = page;
  for (let tabs = 1; tabs < 7; tabs += 1) {
    await session(last).getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    await hide(last);
    last = await page.context().newPage();
    await last.goto(`${sandbox.httpUrl}/?lang=en`);
  }
  await session(last).getByPlaceholder('Code from the phone').fill(code);
  await last
    .getByRole('region', { name: 'The network' })
    .getByRole('button', { name: /^Atlas/ })
    .click();
  await last.getByRole('menuitem', { name: /^Slow/ }).click();
  await eventually(() => sandbox.smscs.atlas.mood).toBe('slow');
  await session(last).getByRole('button', { name: 'Check', exact: true }).click();
  await last.getByText('Right: the number is verified.').waitFor();
  await hide(page, false);
  await session(page).getByText('verified', { exact: true }).first().waitFor();
});

browserTest('a server that is down is said, and a send says what is wrong; up again, a send works', async () => {
  const page = await open();
  await announce(null);
  await page.getByText('The server is down').waitFor();
  await send(page);
  await page.getByText('The service does not answer. Is it running?').first().waitFor();
  await until(() => complaints.length > 0, { what: 'the browser to say 503' });
  complaints.splice(0);
  await announce(server);
  await page.getByText('Live', { exact: true }).first().waitFor();
  await send(page);
  await codeOn(phoneOf(page, first));
  // The page may have asked once more while the server was away.
  expect(complaints.filter((text) => !text.includes('503'))).toEqual([]);
  complaints.splice(0);
});

browserTest('a first send that fails says so, and no phone waits for its code', async () => {
  const page = await open();
  await announce(null);
  await page.getByText('The server is down').waitFor();
  await page.getByRole('button', { name: 'Send a code', exact: true }).first().click();
  await page.getByRole('alert').getByText('The service does not answer. Is it running?').waitFor();
  expect(await page.getByRole('article', { name: /^Phone/ }).count()).toBe(0);
  await announce(server);
  await until(() => complaints.length > 0, { what: 'the browser to say 503' });
  expect(complaints.splice(0).filter((text) => !text.includes('503'))).toEqual([]);
});

browserTest('a filter by number leaves the webhooks of the session that is looked at', async () => {
  const page = await open();
  await page.getByText('Live', { exact: true }).first().waitFor();
  await send(page);
  await codeOn(phoneOf(page, first));
  const tab = page.getByRole('region', { name: 'Session', exact: true }).getByRole('tab', { name: /^Webhooks/ });
  const count = async () => Number(/\d+$/.exec((await tab.textContent()) ?? '')?.[0]);
  await webhooksCome();
  await page.getByPlaceholder('Filter by number').first().fill('0661');
  await eventually(() => page.getByRole('article', { name: /^Phone/ }).count()).toBe(0);
  await eventually(async () => (await count()) - told().length).toBe(0);
});

browserTest('a session has its webhooks when newer ones of others came after them, until all are cleared', async () => {
  const page = await open();
  await send(page);
  await codeOn(phoneOf(page, first));
  await webhooksCome();
  for (let index = 0; index < 210; index += 1) sandbox.sink.receive('other', {}, '{}');
  await page.reload();
  await phoneOf(page, first)
    .getByRole('button', { name: /^Show the session/ })
    .click();
  const tab = page.getByRole('region', { name: 'Session', exact: true }).getByRole('tab', { name: /^Webhooks/ });
  await eventually(() => tab.textContent()).toMatch(/[1-9]/);
  await fetch(`${sandbox.httpUrl}/sandbox/webhooks`, { method: 'DELETE' });
  await eventually(() => tab.textContent()).toMatch(/0$/);
});

browserTest('2,000 messages to 300 numbers leave the page quick, with few phones and a bounded memory', async () => {
  const page = await open();
  await page.getByText('Live', { exact: true }).first().waitFor();
  for (let index = 0; index < 2_000; index += 1) {
    const to = `+2135500${String(5_000 + (index % 300)).padStart(5, '0')}`;
    arrives('Ramz', to, `Your code: ${100_000 + index}`);
  }
  await phoneOf(page, '+213550005199').waitFor();
  await page.getByText(/more phones: filter by number/).waitFor();
  expect(await page.getByRole('article', { name: /^Phone/ }).count()).toBeLessThanOrEqual(24);
  expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(6_000);
  const startedAt = performance.now();
  await phoneOf(page, '+213550005199')
    .getByRole('button', { name: /^Show the session/ })
    .click();
  await page.getByText('No session to +213550005199 yet').waitFor();
  // On an idle machine a fortieth of it.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize');
  expect(heap).toBeLessThan(150 * 1024 * 1024);
  expect(await shownText(page.getByText(/more phones/))).toMatch(/^\d+ more/);
});
