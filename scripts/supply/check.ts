// `npm run lock:check` and `npm run advisories`: whether what is installed is what was looked at, and whether a fault of it is known. The
// second ends with 2 where no registry answers: unknown is not clean.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../run.ts';
import { adviceOf, type LockFile, type Manifest, nodeFaults, unhashed } from './verdicts.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const say = (line: string) => process.stdout.write(`${line}\n`);

function checkLock(): number {
  const lock = JSON.parse(read('package-lock.json')) as LockFile;
  const all = [
    ...unhashed(lock).map((path) => `${path} has no hash in package-lock.json: npm would install whatever it is given`),
    ...nodeFaults(lock, JSON.parse(read('package.json')) as Manifest, read('Dockerfile')),
  ];
  for (const line of all) say(line);
  return all.length === 0 ? 0 : 1;
}

async function checkAdvisories(): Promise<number> {
  // npm writes JSON to standard output, and its own remarks beside it.
  const { output } = await run('npm', ['audit', '--json', '--package-lock-only', '--loglevel=silent']);
  const advice = adviceOf(output);
  switch (advice.kind) {
    case 'clean':
      say('no advisory is known for any package of package-lock.json');
      return 0;
    case 'unanswered':
      say(`NOT CHECKED: no registry answered about known faults (${advice.why})`);
      return 2;
    case 'found':
      for (const { name, severity, titles } of advice.faults) say(`${name}: ${severity}. ${titles.join('; ')}`);
      return 1;
  }
}

const [what] = process.argv.slice(2);
process.exitCode = what === 'lock' ? checkLock() : what === 'advisories' ? await checkAdvisories() : 2;
