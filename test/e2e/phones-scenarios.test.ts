// Every scenario played from the phones page by its own button, all at once, and looked at as its person would: what each phone shows and
// does not show, what the picture of its session says, the receipts in the operators' words, what it cost, and the webhooks.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { type ScenarioName, scenarioNames, scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { browserTest } from '../support/browser.ts';
import { codeOn, copyCode, phoneOf, phonesPage, shownText, storyOn } from '../support/phones-page.ts';

// The late receipt comes when the short leg of the page is over, and the app has delivered.
const { sandbox, open } = await phonesPage({ sandbox: { lateReceiptMs: 15_000 } });
const numbers = scenarioNumbers(sandbox.scenarioPrefix);
/** The longest one is the voicemail: it is asked for a key for half a minute. */
const longest = 100_000;

interface Seen {
  /** Apps of the phone with the code. */
  code: ('Messages' | 'WhatsApp' | 'Calls')[];
  /** The entry of the call; none: nothing rang. */
  call?: RegExp;
  /** Line for line; `•` is a mark, `~` a time: the longer, the slower the machine. */
  story: string[];
  /** Channel and price, the receipts of it, and the total. `~`: by the seconds of the call. */
  receipts: string[];
  /** In the order of their numbers; they may arrive in another one. */
  webhooks: string[];
}

const smsDelivered: Seen = {
  code: ['Messages'],
  story: [
    'Session',
    '• the code reached the phone',
    'SMS atlas delivered',
    '• taken by the carrier',
    '• receipt: DELIVRD',
  ],
  receipts: ['SMS · atlas', '3.50 DZD final', 'sender Ramz', 'DELIVRD', 'error 000', 'Total', '3.50 DZD final'],
  webhooks: ['message.submitted', 'receipt.updated'],
};
const appDelivers = ['WhatsApp delivered', '• taken by the carrier', '• receipt: sent', '• receipt: delivered'];
const appPaid = ['WhatsApp', '0.0212 USD final', 'sent ACCEPTD', 'delivered DELIVRD'];
const silentSms = ['SMS · atlas', '0.00 DZD not final', 'sender Ramz', 'No receipt yet.'];
const smsTimesOut = ['SMS atlas timed out', '• taken by the carrier', '• time is up', 'no receipt in ~ s'];
const appTimesOut = [
  'WhatsApp timed out',
  '• taken by the carrier',
  '• receipt: sent',
  '• time is up',
  'no receipt in ~ s',
];
const bothSilent = [...smsTimesOut, ...appTimesOut];
const bothUnpaid = [...silentSms, 'WhatsApp', '0.0000 USD not final', 'sent ACCEPTD'];
const totals = ['Total', '~ DZD not final', '0.0000 USD not final'];
const reached = ['Session', '• the code reached the phone'];
const exhausted = ['Session', '• no leg is left'];
const callFails = [
  ...['message.submitted', 'message.submitted', 'receipt.updated', 'message.submitted', 'receipt.updated'],
  'session.delivery_exhausted',
];

const seen: Record<ScenarioName, Seen> = {
  sms_delivered: smsDelivered,
  sms_throttled: { ...smsDelivered, story: smsDelivered.story.toSpliced(3, 0, '• the carrier was busy') },
  sms_early_receipt: smsDelivered,
  sms_late: {
    code: ['Messages', 'WhatsApp'],
    story: [
      ...reached,
      ...['SMS atlas delivered', '• taken by the carrier', '• time is up', '• receipt: DELIVRD', 'no receipt in ~ s'],
      ...appDelivers,
    ],
    receipts: [...smsDelivered.receipts.slice(0, 5), ...appPaid, 'Total', '3.50 DZD final', '0.0212 USD final'],
    webhooks: ['message.submitted', 'message.submitted', 'receipt.updated', 'receipt.updated', 'receipt.updated'],
  },
  sms_silent: {
    code: ['Messages', 'WhatsApp'],
    story: [...reached, ...smsTimesOut, ...appDelivers],
    receipts: [...silentSms, ...appPaid, 'Total', '0.00 DZD not final', '0.0212 USD final'],
    webhooks: ['message.submitted', 'message.submitted', 'receipt.updated', 'receipt.updated'],
  },
  sms_rejected: {
    code: ['WhatsApp'],
    story: [...reached, 'SMS atlas refused', '• refused', 'atlas refused it ESME_RINVDSTADR', ...appDelivers],
    receipts: ['SMS · atlas', 'sender Ramz', 'No receipt yet.', ...appPaid, 'Total', '0.0212 USD final'],
    webhooks: ['message.failed', 'message.submitted', 'receipt.updated', 'receipt.updated'],
  },
  sms_undelivered: {
    code: ['WhatsApp'],
    story: [
      ...reached,
      ...[
        'SMS atlas failed',
        '• taken by the carrier',
        '• receipt: UNDELIV',
        'atlas says UNDELIV 001: absent subscriber',
      ],
      ...appDelivers,
    ],
    receipts: [
      ...['SMS · atlas', '0.00 DZD final', 'sender Ramz', 'UNDELIV', 'error 001'],
      ...appPaid,
      ...['Total', '0.00 DZD final', '0.0212 USD final'],
    ],
    webhooks: ['message.submitted', 'receipt.updated', 'message.submitted', 'receipt.updated', 'receipt.updated'],
  },
  app_unreachable: {
    code: ['Messages', 'Calls'],
    call: /^Call · \d:\d\d .* heard \d{6} · pressed 1/,
    story: [
      ...reached,
      ...smsTimesOut,
      ...['WhatsApp failed', '• taken by the carrier', '• receipt: failed', 'the number is not on WhatsApp'],
      ...['Call delivered', '• call: rings', '• call: answered', '• call: code heard', '• call: hung up'],
    ],
    receipts: [
      ...silentSms,
      ...['WhatsApp', '0.0000 USD final', 'failed UNDELIV', 'error 131026'],
      ...['Call', '~ DZD final', 'heard DELIVRD', 'SIP 200', 'heard DELIVRD', 'SIP 200'],
      ...['Total', '~ DZD not final', '0.0000 USD final'],
    ],
    webhooks: [
      ...['message.submitted', 'message.submitted', 'receipt.updated', 'message.submitted'],
      ...['receipt.updated', 'receipt.updated'],
    ],
  },
  voice_busy: {
    code: ['Messages', 'WhatsApp'],
    call: /^Line was busy/,
    story: [...exhausted, ...bothSilent, 'Call failed', '• refused', 'the line is busy'],
    receipts: [...bothUnpaid, 'Call', 'No receipt yet.', 'Total', '0.00 DZD not final', '0.0000 USD not final'],
    webhooks: [
      ...['message.submitted', 'message.submitted', 'receipt.updated', 'message.failed'],
      'session.delivery_exhausted',
    ],
  },
  voice_no_answer: {
    code: ['Messages', 'WhatsApp'],
    call: /^Missed call/,
    story: [
      ...exhausted,
      ...bothSilent,
      ...['Call timed out', '• call: rings', '• time is up', '• call: stopped', 'not picked up in ~ s'],
    ],
    receipts: [...bothUnpaid, 'Call', '0.00 DZD final', 'canceled UNDELIV', 'error 487', 'SIP 487', ...totals],
    webhooks: [
      ...['message.submitted', 'message.submitted', 'receipt.updated', 'message.submitted'],
      ...['session.delivery_exhausted', 'receipt.updated'],
    ],
  },
  voice_hangs_up: {
    code: ['Messages', 'WhatsApp'],
    call: /^Call · \d:\d\d .* no code heard/,
    story: [
      ...exhausted,
      ...bothSilent,
      ...[
        'Call failed',
        '• call: rings',
        '• call: answered',
        '• call: hung up early',
        'hung up before the code was heard',
      ],
    ],
    receipts: [...bothUnpaid, 'Call', '~ DZD final', 'hung_up UNDELIV', 'SIP 200', ...totals],
    webhooks: callFails,
  },
  voice_rejected: {
    code: ['Messages', 'WhatsApp'],
    call: /^Declined call/,
    story: [
      ...exhausted,
      ...bothSilent,
      ...['Call failed', '• call: rings', '• call: declined', 'the call was declined'],
    ],
    receipts: [...bothUnpaid, 'Call', '0.00 DZD final', 'rejected REJECTD', 'error 603', 'SIP 603', ...totals],
    webhooks: callFails,
  },
  voice_voicemail: {
    code: ['Messages', 'WhatsApp'],
    call: /^Call · \d:\d\d .* no code heard/,
    story: [
      ...exhausted,
      ...bothSilent,
      ...['Call failed', '• call: rings', '• call: answered', '• call: no key pressed'],
      'no key was pressed, as on voicemail',
    ],
    receipts: [...bothUnpaid, 'Call', '~ DZD final', 'no_key UNDELIV', 'SIP 200', ...totals],
    webhooks: callFails,
  },
};

const names = ['Messages', 'WhatsApp', 'Calls'] as const;
let page: Page;
let pane: Locator;
beforeAll(async () => {
  page = await open({ isLasting: true });
  pane = page.getByRole('region', { name: 'Session', exact: true });
  for (const name of scenarioNames) {
    await page
      .locator(`[data-scenario=${name}]`)
      .getByRole('button', { name: /^Send: / })
      .click();
    // Another scenario is sent while this one's session is being opened: nothing of the page waits for it.
    await phoneOf(page, numbers[name]).waitFor();
  }
});

const textOf = async (locator: Locator) => (await shownText(locator)).replace(/\s+/g, ' ').trim();

/** What differs from run to run. */
const isOfTheMoment = (line: string) =>
  /^$|^\d\d:\d\d|^(1A|wamid|msg_)|^(rang|talked|code read|keys pressed|operator’s time|received|As it came|carrier’s id|sandbox)/.test(
    line,
  );

async function openTab(name: RegExp): Promise<Locator> {
  await pane.getByRole('tab', { name }).click();
  return pane.getByRole('tabpanel', { name });
}

/** A pattern for the whole text, in which `~` is any amount. */
const pattern = (lines: readonly string[]) =>
  new RegExp(
    `^${lines
      .join(' ')
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replaceAll('~', '\\d+\\.\\d\\d')}$`,
  );

async function expectReceipts(expected: readonly string[]): Promise<void> {
  const receipts = await openTab(/^Receipts/);
  const lines = async () => (await shownText(receipts)).split('\n').map((line) => line.trim());
  const kept = async () => (await lines()).filter((line) => !isOfTheMoment(line)).join(' ');
  await expect.poll(kept, { timeout: longest }).toMatch(pattern(expected));
  const all = (await lines()).join('\n');
  const dinars = [...all.matchAll(/(\d+\.\d\d) DZD/g)].map(([, amount]) => Number(amount));
  const total = dinars.pop() ?? 0;
  const sum = dinars.reduce((before, amount) => before + amount, 0);
  expect(total).toBeCloseTo(sum, 5);
  const [, talked] = /talked (\d+) s/.exec(all) ?? [];
  if (talked) expect(dinars.at(-1)).toBeCloseTo(Number(talked) * 0.15, 5);
}

/** Each is signed rightly and was taken; what the page shows is what the endpoint received. */
async function expectWebhooks(to: string, types: readonly string[]): Promise<void> {
  const webhooks = await openTab(/^Webhooks/);
  const shown = async () => {
    const lines = await webhooks
      .locator('summary')
      .filter({ hasText: /\d\d:\d\d:\d\d/ })
      .all();
    const signed = webhooks.getByRole('img', { name: 'Signature is right' });
    expect(await signed.count()).toBe(lines.length);
    const texts = (await Promise.all(lines.map(textOf))).map((line) => line.replace(/ \d\d:\d\d:\d\d\.\d{3}$/, ''));
    return texts.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  };
  await expect.poll(shown, { timeout: longest }).toEqual(types.map((type, at) => `${at + 1} ${type} 204`));
  const received = sandbox.events().filter(({ data }) => (data.to ?? data.session?.to) === to);
  expect(received.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
}

describe('sent by its button', () => {
  for (const name of scenarioNames) {
    const end = seen[name];
    browserTest(`${name}: phone, picture, receipts, cost and webhooks`, async () => {
      const to = numbers[name];
      const phone = phoneOf(page, to);
      await phone.getByRole('button', { name: /^Show the session/ }).click();
      await pane.getByRole('heading', { name: to }).waitFor();
      await expect.poll(() => storyOn(page), { timeout: longest }).toEqual(end.story);
      await expectReceipts(end.receipts);
      await expectWebhooks(to, end.webhooks);

      const codes = new Set<string>();
      const apps = phone.getByRole('navigation');
      for (const app of names) {
        await apps.getByRole('button', { name: new RegExp(`^${app}`) }).click();
        const screen = phone.getByRole('group', { name: app });
        const hasCode = end.code.includes(app);
        if (hasCode) codes.add(await codeOn(screen));
        else expect(await screen.getByRole('button', { name: /^Copy code/ }).count(), app).toBe(0);
        if (app === 'Calls' && end.call) expect(await textOf(screen.locator('li'))).toMatch(end.call);
        else if (!hasCode) expect(await textOf(screen)).toMatch(/No (messages|calls)$/);
      }
      const arrived = sandbox.inbox
        .list({ to })
        .flatMap(({ text, digits }) => /\d{4,10}/.exec(digits ?? text)?.[0] ?? []);
      expect([...codes]).toEqual([...new Set(arrived)]);
      expect(codes.size).toBe(end.code.length > 0 ? 1 : 0);
    });
  }
});

browserTest('a code that was copied from any app is right, and its webhook arrives signed', async () => {
  for (const name of ['sms_delivered', 'sms_silent', 'app_unreachable'] as const) {
    const phone = phoneOf(page, numbers[name]);
    await phone.getByRole('button', { name: /^Show the session/ }).click();
    await pane.getByRole('heading', { name: numbers[name] }).waitFor();
    await phone
      .getByRole('navigation')
      .getByRole('button', { name: new RegExp(`^${seen[name].code[0]}`) })
      .click();
    const copied = await copyCode(phone);
    expect(await sandbox.codeTo(numbers[name])).toBe(copied);
    const field = pane.getByPlaceholder('Code from the phone');
    await field.focus();
    await page.keyboard.press('Control+V');
    await page.keyboard.press('Enter');
    await pane.getByText('Right: the number is verified.').waitFor();
    await expectWebhooks(numbers[name], [...seen[name].webhooks, 'session.verified']);
  }
});
