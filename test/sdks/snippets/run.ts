// Executes the programs of every page against the running service: node test/sdks/snippets/run.ts <folder> [part of a name]
// Writes a JUnit report to <folder>/snippets.xml. Environment: that of ../live.ts.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';
import type { Installed } from '../install/install.ts';
import { type Account, newAccount, type Stand, standFor } from './account.ts';
import { blocksOf, type Page, type Program, pageOf } from './blocks.ts';
import { execute } from './execute.ts';
import { languageOf, projectOf } from './languages.ts';
import { difference } from './mask.ts';
import { pages } from './pages.ts';
import { type Case, junitOf } from './report.ts';

const timeoutMs = 90_000;
const [folder = '', filter = ''] = process.argv.slice(2);
const cases: Case[] = [];
const installed = new Map<string, Promise<Installed>>();

const all = pages().flatMap((path) => {
  try {
    return [pageOf(blocksOf(path, readFileSync(join(root, path), 'utf8')))];
  } catch (error) {
    cases.push({ name: path, seconds: 0, failure: String(error) });
    return [];
  }
});
const queue = [...all];
// What packs an SDK in its folder goes before whatever else may do so, one after another.
for (const page of queue) await runPrograms(page, ({ inside }) => inside === 'install');
// Two at once: pages stand alone, the programs of one run in their order.
await Promise.all([worker(), worker()]);
const notRun = all
  .flatMap((page) => page.notRun)
  .map(({ name, language, reason }) => `${name} (${language}): ${reason}`);
writeFileSync(join(folder, 'not-run.txt'), notRun.map((line) => `   not run: ${line}\n`).join(''));
writeFileSync(join(folder, 'snippets.xml'), junitOf('snippets', cases));
const failed = cases.filter(({ failure }) => failure !== undefined);
for (const { name, failure } of failed) console.log(`✗ ${name}\n${failure}\n`);
console.log(`${cases.length} snippets, ${failed.length} failed, ${notRun.length} marked not-run`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function worker(): Promise<void> {
  for (let page = queue.shift(); page; page = queue.shift())
    await runPrograms(page, ({ inside }) => inside !== 'install');
}

async function runPrograms(page: Page, chosen: (program: Program) => boolean): Promise<void> {
  const wanted = page.programs.filter(chosen).filter(({ name, language }) => `${name} ${language}`.includes(filter));
  if (wanted.length === 0) return;
  const account = await newAccount(String(wanted[0]?.page));
  for (const program of wanted) {
    const startedAt = performance.now();
    const outcome = await runProgram(program, page, account).catch((error) => ({ failure: String(error) }));
    const seconds = (performance.now() - startedAt) / 1000;
    cases.push({ name: `${program.name} ${program.language}`, seconds, ...outcome });
    console.log(`${'failure' in outcome ? '✗' : '✓'} ${program.name} ${program.language} (${seconds.toFixed(1)} s)`);
  }
}

type Outcome = { failure: string } | { skipped: string } | Record<string, never>;

async function runProgram(program: Program, page: Page, account: Account): Promise<Outcome> {
  const language = languageOf(program);
  const project = projectOf(program);
  const place = join(folder, project);
  mkdirSync(place, { recursive: true });
  if (!installed.has(project)) installed.set(project, language.install(place));
  const outcome = await installed.get(project);
  if (outcome?.kind === 'missing') return { skipped: outcome.reason };
  const stand: Stand = standFor(program, account);
  const start = language.write(
    place,
    program.name.replace(/[^A-Za-z0-9]+/g, '_'),
    { ...program, text: stand.text },
    page,
  );
  const env = { ...process.env, ...account.env(start.cwd) };
  const asks = /\S \d{6}$/m.test(program.output ?? '');
  const ran = await execute({ ...start, env, numbers: stand.numbers, sandbox: account.sandbox, timeoutMs, asks });
  const said = `${ran.stdout}\n${ran.stderr}`;
  if (ran.code !== 0) return { failure: `${start.program} ${start.args.join(' ')}: ${ran.code}\n${said}` };
  const wrong = program.output === undefined ? undefined : difference(program.output, ran.stdout);
  return wrong === undefined ? {} : { failure: `${wrong}\n${ran.stderr}` };
}
