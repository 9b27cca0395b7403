// `go test`, with a JUnit report: node test/sdks/go-test.ts <report> <arguments of go test…>. Prints what failed.
import { writeFileSync } from 'node:fs';
import { run } from '../../scripts/run.ts';
import { goReport, readGoEvents } from './go-report.ts';

const [report = '', ...args] = process.argv.slice(2);
const { code, output } = await run('go', ['test', '-json', ...args], { cwd: process.cwd() });
const events = readGoEvents(output);
writeFileSync(report, goReport(events));
if (code !== 0) {
  // What go says outside of the events is why there are none.
  if (events.length === 0) console.log(output);
  for (const { Action, Output = '' } of events) if (Action.endsWith('output')) process.stdout.write(Output);
}
process.exitCode = code;
