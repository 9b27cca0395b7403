// Reads what `go test -json` writes, and says it as JUnit. Running it is in go-test.ts.

/** One line of `go test -json`. */
interface TestEvent {
  Action: string;
  Package?: string;
  Test?: string;
  Output?: string;
  /** Seconds. */
  Elapsed?: number;
}

interface Case {
  package: string;
  test: string;
  outcome: 'passed' | 'failed' | 'skipped';
  output: string;
  seconds: number;
}

const outcomes: Readonly<Record<string, Case['outcome']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

/** Lines that are no JSON are passed over: go itself writes some. */
export function readGoEvents(text: string): TestEvent[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as TestEvent];
    } catch {
      return [];
    }
  });
}

/**
 * The report. A test with subtests counts only where it failed and none of them did; one that began and never ended has
 * failed; so has a package that failed though no test of its did (it does not build, it panicked).
 */
export function goReport(events: readonly TestEvent[]): string {
  const cases = casesOf(events);
  const failed = cases.filter(({ outcome }) => outcome === 'failed');
  const kept = cases.filter((each) => {
    const isInside = (other: Case) =>
      other.package === each.package && (each.test === '' || other.test.startsWith(`${each.test}/`));
    if (each.outcome === 'failed') return !failed.some((other) => other !== each && isInside(other));
    return each.test !== '' && !cases.some((other) => other !== each && isInside(other));
  });
  return `<testsuites>\n${kept.map(written).join('\n')}\n</testsuites>\n`;
}

function casesOf(events: readonly TestEvent[]): Case[] {
  const cases = new Map<string, Case>();
  for (const { Action, Package = '', Test = '', Output = '', Elapsed = 0 } of events) {
    const key = `${Package}\0${Test}`;
    const own = cases.get(key) ?? { package: Package, test: Test, outcome: 'failed', output: '', seconds: 0 };
    cases.set(key, own);
    if (Action === 'output' || Action === 'build-output') own.output += Output;
    own.outcome = outcomes[Action] ?? own.outcome;
    own.seconds = Elapsed;
  }
  return [...cases.values()];
}

function written({ package: name, test, outcome, output, seconds }: Case): string {
  const open = `<testcase classname="${escaped(name)}" name="${escaped(test || 'the package')}" time="${seconds}"`;
  if (outcome === 'passed') return `${open}/>`;
  if (outcome === 'failed') return `${open}><failure>${escaped(output)}</failure></testcase>`;
  const reason = output.replace(/^\s*(=== |--- ).*$/gm, '').trim();
  return `${open}><skipped message="${escaped(reason)}"/></testcase>`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML can't hold, not even escaped.
  return text.replace(/[<>&"]/g, (char) => entities[char] ?? '').replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '');
}
