// What a JUnit XML report says: the one format that the test runners of all languages write.
import type { SuiteResult } from '../support/reporter.ts';

/** The cases of a report. A report without a case, or cut off, is a failure: something did not run. */
export function readJunit(xml: string): SuiteResult {
  const result: SuiteResult = { passed: 0, failed: [], skipped: [] };
  for (const [, attributes = '', content = ''] of xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)) {
    const skipped = /<skipped\b([^>]*?)(?:\/>|>(.*?)<\/skipped>)/s.exec(content);
    const failed = /<(?:failure|error)\b([^>]*?)(?:\/>|>(.*?)<\/(?:failure|error)>)/s.exec(content);
    const name = nameOf(attributes);
    if (failed) result.failed.push({ name, reason: reasonOf(failed) || 'no reason given' });
    else if (skipped) result.skipped.push({ name, reason: reasonOf(skipped) || 'marked as skipped' });
    else result.passed += 1;
  }
  const isWhole = /<\/testsuites?>\s*$/.test(xml);
  const cases = result.passed + result.failed.length + result.skipped.length;
  if (!isWhole) result.failed.push({ name: 'report', reason: 'it is cut off' });
  else if (cases === 0) result.failed.push({ name: 'report', reason: 'it has no case' });
  return result;
}

/** Of an element that says why: its attributes, its content. */
const reasonOf = ([, attributes = '', content = '']: RegExpExecArray): string =>
  attribute(attributes, 'message') || plain(content).trim();

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
