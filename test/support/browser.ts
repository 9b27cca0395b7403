// A real browser for tests of pages: Chromium, headless, driven by playwright-core. Ends with the file.
import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import { requireTool, toolPath } from './tool.ts';

/** A `test` that is skipped, by name, where there is no Chromium. */
export const browserTest = requireTool('chromium');

/** Nothing of it looks beyond this machine: no updates, no sync, no lists of bad pages. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-default-apps',
  '--disable-domain-reliability',
];

/** As `until` waits: only what hangs takes longer, on a busy machine too. Playwright's own is half of it. */
const mostMs = 60_000;

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

/** The one browser of the file, started when it is first asked for, with `more` flags then. */
export function testBrowser(more: readonly string[] = []): Promise<Browser> {
  browser ??= launched([...flags, ...more]);
  return browser;
}

async function launched(args: readonly string[]): Promise<Browser> {
  const started = await chromium.launch({ executablePath: toolPath('chromium') ?? 'chromium', args: [...args] });
  started.on('context', (context) => context.setDefaultTimeout(mostMs));
  return started;
}
