// Runs the samples of every operation against the running service: node test/sdks/samples/run.ts <folder> [label]
// Writes a JUnit report to <folder>/samples.xml. Environment: that of ../live.ts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../scripts/run.ts';
import { type Operation, routes } from '../docs/document.ts';
import { must } from '../install/install.ts';
import type { Program } from '../snippets/blocks.ts';
import { languageOf, type Start } from '../snippets/languages.ts';
import { type Case, junitOf } from '../snippets/report.ts';
import { newKey, withThings } from './things.ts';

interface Sampled extends Operation {
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

const timeoutMs = 90_000;
const [folder = '', wanted = ''] = process.argv.slice(2);
const operations = routes.map(({ operation }) => operation as Sampled);
const cases: Case[] = [];

/** Label of a sample → how it is run. */
const languages: Readonly<Record<string, Pick<Program, 'language' | 'inside'>>> = {
  curl: { language: 'sh' },
  Python: { language: 'python' },
  'Node.js': { language: 'js' },
  Go: { language: 'go' },
  PHP: { language: 'php' },
  Laravel: { language: 'php', inside: 'laravel' },
};

/** A list may have nothing in it, and what deletes has nothing to say. */
const mayBeQuiet = /^(list|delete)/;

/** One compiler run for all is far quicker than `go run` for each. */
const built = (place: string, name: string): Start => ({ program: join(place, 'bin', name), args: [], cwd: place });

/** curl takes a refusal for a success unless asked. */
const failing = (label: string, source: string): string =>
  label === 'curl' ? `curl() { command curl -sS --fail-with-body "$@"; }\n${source}` : source;

for (const operation of operations) {
  const labels = operation['x-codeSamples'].map(({ label }) => label);
  if (labels.join() === Object.keys(languages).join()) continue;
  cases.push({ name: operation.operationId, seconds: 0, failure: `it has samples in ${labels.join(', ')}` });
}
// One language after another: each has an account of its own, but all are on one machine.
for (const label of Object.keys(languages).filter((each) => each.includes(wanted))) await runLanguage(label);

writeFileSync(join(folder, 'samples.xml'), junitOf('samples', cases));
const failed = cases.filter(({ failure }) => failure !== undefined);
for (const { name, failure } of failed) console.log(`✗ ${name}\n${failure}\n`);
console.log(`${cases.length} samples, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runLanguage(label: string): Promise<void> {
  const mark = languages[label] as Pick<Program, 'language' | 'inside'>;
  const program = (text: string): Program => ({ name: label, page: 'openapi.json', text, ...mark });
  const language = languageOf(program(''));
  const place = join(folder, label);
  mkdirSync(place, { recursive: true });
  const installed = await language.install(place);
  if (installed.kind === 'missing') return void cases.push({ name: label, seconds: 0, skipped: installed.reason });
  const key = await newKey(label);
  const starts: { name: string; start: Start }[] = [];
  for (const { operationId, 'x-codeSamples': samples } of operations) {
    const { source = '' } = samples.find((each) => each.label === label) ?? {};
    const text = await withThings(key, failing(label, `${source}\n`));
    const page = { programs: [], files: [], notRun: [] };
    const start = language.write(place, operationId, program(text), page);
    starts.push({ name: operationId, start: label === 'Go' ? built(place, operationId) : start });
  }
  if (label === 'Go') {
    await must('go', ['vet', './...'], place);
    const unformatted = await must('gofmt', ['-l', ...starts.map(({ name }) => name)], place);
    if (unformatted !== '') cases.push({ name: 'gofmt', seconds: 0, failure: unformatted });
    await must('go', ['build', '-o', `bin/`, ...starts.map(({ name }) => `./${name}`)], place);
  }
  // In the order of the document: what is linked is then looked at, and unlinked.
  for (const { name, start } of starts) await runSample(`${name} ${label}`, start, key);
}

async function runSample(name: string, { program, args, cwd }: Start, key: string): Promise<void> {
  const startedAt = performance.now();
  const env = { ...process.env, RAMZ_API_KEY: key };
  const { code, output } = await run(program, args, { cwd, env, timeoutMs });
  const seconds = (performance.now() - startedAt) / 1000;
  const isQuiet = output.trim() === '' && !mayBeQuiet.test(name);
  const failure = code !== 0 ? `exit code ${code}\n${output}` : isQuiet ? 'it printed nothing' : undefined;
  cases.push({ name, seconds, ...(failure === undefined ? {} : { failure }) });
}
