// What axe finds against a page in a real browser, by the rules of WCAG 2.2 AA.
import axe, { type Result } from 'axe-core';
import type { Page } from 'playwright-core';

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export interface AxeOptions {
  /** Also what axe calls best practice. Default true; a page that others make keeps to WCAG alone. */
  bestPractice?: boolean;
}

/**
 * A line for each rule that something breaks; waits for the animations that end to be over, as colours in between have no contrast to speak of. The
 * policy of the page does not hold for what is evaluated here.
 */
export async function axeViolations(page: Page, { bestPractice = true }: AxeOptions = {}): Promise<string[]> {
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter((each) => each.effect?.getComputedTiming().endTime < Infinity).map((each) => each.finished)).then(() => 0)`);
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const values = bestPractice ? [...wcag, 'best-practice'] : wcag;
  // What all other rules looked at is more than half of the work, and of no use.
  const options = JSON.stringify({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] });
  const found = await page.evaluate<Result[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return found.map(({ id, nodes }) =>
    [id, ...nodes.map(({ html, failureSummary = '' }) => `${html.slice(0, 300)} ${failureSummary}`)].join(': '),
  );
}
