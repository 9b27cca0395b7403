// A JUnit report.

export interface Case {
  name: string;
  seconds: number;
  failure?: string;
  skipped?: string;
}

export function junitOf(suite: string, cases: readonly Case[]): string {
  const lines = cases.map(({ name, seconds, failure, skipped }) => {
    const inner =
      failure !== undefined
        ? `<failure message="it failed">${escaped(failure)}</failure>`
        : skipped !== undefined
          ? `<skipped message="${escaped(skipped)}"/>`
          : '';
    return `  <testcase classname="${suite}" name="${escaped(name)}" time="${seconds.toFixed(3)}">${inner}</testcase>`;
  });
  return `<testsuites>\n<testsuite name="${suite}" tests="${cases.length}">\n${lines.join('\n')}\n</testsuite>\n</testsuites>\n`;
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no such characters
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '?');
