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

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

/** The one browser of the file, started when it is first asked for, with `more` flags then. */
export function testBrowser(more: readonly string[] = []): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: toolPath('chromium') ?? 'chromium', args: [...flags, ...more] });
  return browser;
}
