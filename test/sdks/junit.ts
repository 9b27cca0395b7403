// What a JUnit XML report says: the one format that the test runners of all languages write.
import type { SuiteResult } from '../support/reporter.ts';

/** Counts the cases of a report. A report without a case, or cut off, is a failure: something did not run. */
export function readJunit(xml: string): SuiteResult {
  const result: SuiteResult = { passed: 0, failed: 0, skipped: [] };
  for (const [, attributes = '', content = ''] of xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)) {
    const skipped = /<skipped\b([^>]*?)(?:\/>|>(.*?)<\/skipped>)/s.exec(content);
    if (/<(failure|error)\b/.test(content)) result.failed += 1;
    else if (skipped) {
      const reason = attribute(skipped[1] ?? '', 'message') || plain(skipped[2] ?? '').trim() || 'marked as skipped';
      result.skipped.push({ name: nameOf(attributes), reason });
    } else result.passed += 1;
  }
  const isWhole = /<\/testsuites?>\s*$/.test(xml);
  if (!isWhole || result.passed + result.failed + result.skipped.length === 0) result.failed += 1;
  return result;
}

const nameOf = (attributes: string): string =>
  [attribute(attributes, 'classname'), attribute(attributes, 'name')].filter((part) => part !== '').join(' > ');

function attribute(attributes: string, name: string): string {
  return plain(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function plain(text: string): string {
  return text
    .replace(/<!\[CDATA\[(.*?)\]\]>/gs, '$1')
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => entities[name] ?? '');
}
