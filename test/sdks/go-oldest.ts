// `go test ./...` in a module with the oldest Go that its go.mod allows, which Go fetches from the module proxy:
// node test/sdks/go-oldest.ts <report>. Where it can't be had, the report says that it was skipped.
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from '../../scripts/run.ts';
import { goReport, readGoEvents } from './go-report.ts';

const [report = ''] = process.argv.slice(2);
const cwd = process.cwd();
const [, minor = ''] = /^go (\d+\.\d+)$/m.exec(readFileSync('go.mod', 'utf8')) ?? [];
const toolchain = `go${minor}.0`;
const env = { ...process.env, GOTOOLCHAIN: toolchain };

if ((await run('go', ['version'], { cwd, env })).code !== 0) {
  const name = `${toolchain} is not here, and can't be fetched`;
  writeFileSync(
    report,
    goReport([
      { Action: 'output', Package: toolchain, Test: 'go test', Output: name },
      { Action: 'skip', Package: toolchain, Test: 'go test' },
    ]),
  );
} else {
  const { code, output } = await run('go', ['test', '-json', '-count=1', './...'], { cwd, env });
  writeFileSync(report, goReport(readGoEvents(output)));
  if (code !== 0) console.log(output);
  process.exitCode = code;
}
