// `npm run picture`: the pictures of README: the phones page while a code goes out by SMS, WhatsApp and a call, in light and dark, and the
// same as an animation. It plays the real thing: a service of its own, headless Chromium, and img2webp (Debian's `webp`) for the animation.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { root } from '../run.ts';

const size = { width: 1600, height: 900 };
const framesPerSecond = 8;
const seconds = 20;
/** The story of the picture: no receipt for the SMS, not on WhatsApp, the call is heard. */
const scenario = 'app_unreachable';
const images = join(root, 'docs/img');

interface Frame {
  png: Buffer;
  /** Seconds. */
  at: number;
}

/** Frames as the browser paints them, until `stop`. */
async function record(page: Page): Promise<() => Promise<Frame[]>> {
  const session = await page.context().newCDPSession(page);
  const frames: Frame[] = [];
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({ png: Buffer.from(data, 'base64'), at: metadata.timestamp ?? 0 });
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
  });
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  return async () => {
    await session.send('Page.stopScreencast');
    await session.detach();
    return frames;
  };
}

/** Three codes: by SMS, by WhatsApp, and by the call that reads it. The last one is typed in. */
async function play(page: Page, address: string): Promise<void> {
  const send = (name: string) => page.locator(`[data-scenario="${name}"]`).getByRole('button').click();
  await pause(1_000);
  await send('sms_delivered');
  await pause(2_000);
  await send('sms_undelivered');
  await pause(2_000);
  await send(scenario);
  const code = await heard(address);
  await page.getByText('code heard').first().waitFor();
  await pause(1_000);
  const field = page.getByPlaceholder('Code from the phone');
  await field.pressSequentially(code, { delay: 120 });
  await field.press('Enter');
  await page.getByText('verified').first().waitFor();
  await pause(1_500);
}

/** The code of the call, as the phone heard it. */
async function heard(address: string): Promise<string> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { messages } = (await (await fetch(`${address}/sandbox/messages?channel=voice`)).json()) as {
      messages: { digits?: string }[];
    };
    const digits = messages[0]?.digits ?? '';
    if (digits.length === 6) return digits;
    await pause(200);
  }
  throw new Error('the call was not heard');
}

/** At a steady rate, each instant shown by the newest frame before it; equal neighbours become one long frame. */
function animate(frames: readonly Frame[], folder: string): void {
  const start = frames[0]?.at ?? 0;
  const step = 1 / framesPerSecond;
  const shown: { png: Buffer; ms: number }[] = [];
  for (let at = 0; at < Math.min(seconds, (frames.at(-1)?.at ?? 0) - start); at += step) {
    const { png } = frames.findLast((frame) => frame.at - start <= at) ?? frames[0]!;
    const last = shown.at(-1);
    if (last?.png.equals(png)) last.ms += step * 1_000;
    else shown.push({ png, ms: step * 1_000 });
  }
  const lastFrame = shown.at(-1);
  if (lastFrame) lastFrame.ms += 3_000;
  const args = shown.flatMap(({ png, ms }, index) => {
    const file = join(folder, `${String(index).padStart(4, '0')}.png`);
    writeFileSync(file, png);
    return ['-d', String(Math.round(ms)), '-lossy', '-q', '62', '-m', '4', file];
  });
  execFileSync('img2webp', ['-loop', '0', ...args, '-o', join(images, 'first-minute.webp')], { stdio: 'ignore' });
}

async function picture(browser: Browser, address: string, scheme: 'light' | 'dark', folder: string): Promise<void> {
  const page = await browser.newPage({ viewport: size, colorScheme: scheme, locale: 'en' });
  await page.goto(address);
  await page.locator('[data-scenario]').first().waitFor();
  const stop = scheme === 'light' ? await record(page) : null;
  await play(page, address);
  if (stop) animate(await stop(), folder);
  await page.screenshot({ path: join(images, `phones-${scheme}.png`) });
  await page.close();
}

async function up(folder: string): Promise<{ service: ChildProcess; address: string }> {
  const service = spawn(process.execPath, ['scripts/up.mjs', 'start'], {
    cwd: root,
    env: {
      ...process.env,
      RAMZ_DATA: folder,
      PORT: '0',
      GRPC_PORT: '0',
      SANDBOX_PORT: '0',
      RAMZ_CONFIG: '',
      DATABASE_URL: '',
    },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 600; tries += 1) {
    await pause(100);
    try {
      const { sandbox } = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')) as { sandbox: string };
      return { service, address: sandbox };
    } catch {
      // Not up yet.
    }
  }
  service.kill();
  throw new Error('the service did not start');
}

const folder = mkdtempSync(join(tmpdir(), 'ramz-picture-'));
execFileSync(process.execPath, ['scripts/web/build.ts'], { cwd: root, stdio: 'inherit' });
const { service, address } = await up(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
});
try {
  for (const scheme of ['light', 'dark'] as const) {
    await fetch(`${address}/sandbox/messages`, { method: 'DELETE' });
    await fetch(`${address}/sandbox/webhooks`, { method: 'DELETE' });
    await picture(browser, address, scheme, folder);
  }
} finally {
  await browser.close();
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
