// `npm run prompts:listen`: which digits of each bank a speech recogniser can tell apart. Writes its table into docs/voice-prompts.md. It is
// no test: it takes minutes, downloads a model, and its numbers are for people to judge.
//
//   npm run prompts:listen -- [ar=FOLDER] [fr=FOLDER]      a bank of your own, beside those of the repository; then nothing is written
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alawToLinear } from '../../src/channels/voice/alaw.ts';
import { type ClipName, clipNames } from '../../src/channels/voice/clip.ts';
import { type BankChoice, loadBank, type PromptBank } from '../../src/channels/voice/prompts/bank.ts';
import { isDigit, type PromptLanguage, promptLanguages } from '../../src/channels/voice/prompts/texts.ts';
import { table } from '../docs/fill.ts';
import { root } from '../run.ts';
import { preparePythonTools } from '../tools/python.ts';

const page = join(root, 'docs', 'voice-prompts.md');
const marked = /(<!-- heard -->)[\s\S]*?(<!-- end of heard -->)/;

const target = join(root, '.tools', 'prompts');
const say = (line: string) => console.error(line);

/** Words as the recogniser writes them: between them it has to choose. */
const words: Record<PromptLanguage, readonly string[]> = {
  ar: ['صفر', 'واحد', 'زوج', 'تلاتة', 'ربعة', 'خمسة', 'ستة', 'سبعة', 'تمنية', 'تسعة'],
  fr: ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
};

interface Heard {
  name: string;
  /** Per digit: what was heard, and by how much it was likelier than the next one (or less likely than what was heard). */
  digits: { heard: number; margin: number }[];
}

function bankOf(choice: BankChoice): PromptBank {
  const loaded = loadBank(choice);
  if (loaded.kind === 'refused') throw new Error(loaded.problems.join('\n'));
  return loaded.bank;
}

/** The banks of the repository, both with and without the digits of an installed package, and those named on the command line. */
function chosenBanks(): PromptBank[] {
  const banks = promptLanguages.flatMap((language) => {
    const own = bankOf({ language, folder: null, recorded: {} });
    const better = bankOf({ language, folder: null });
    return better.recorded ? [better, own] : [own];
  });
  const named = process.argv.slice(2).map((argument) => {
    const [, name, folder] = /^(\w+)=(.+)$/.exec(argument) ?? [];
    const language = promptLanguages.find((each) => each === name);
    if (language === undefined || folder === undefined)
      throw new Error(`${argument} is not ${promptLanguages.join('|')}=FOLDER`);
    return bankOf({ language, folder });
  });
  return [...banks, ...named];
}

function nameOf({ language, recorded, source: { synthesiser, made_by } }: PromptBank): string {
  if (recorded) return `${language}: \`${recorded.package}\` (recorded)`;
  return `${language}: ${synthesiser ? `${synthesiser.program} ${synthesiser.version}, ${synthesiser.voice}` : made_by}`;
}

/** Raw 16-bit samples of the digits, in files. */
function saveDigits(bank: PromptBank, folder: string): string[] {
  return clipNames.filter(isDigit).map((name: ClipName) => {
    const path = join(folder, `${name}.raw`);
    writeFileSync(path, new Uint8Array(Int16Array.from(bank.clips.get(name) ?? [], alawToLinear).buffer));
    return path;
  });
}

/** @throws where the recogniser fails. */
function hear(banks: readonly PromptBank[]): Promise<Heard[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-listen-'));
  const input = banks.map((bank, index) => ({
    name: nameOf(bank),
    language: bank.language,
    words: words[bank.language],
    clips: saveDigits(bank, mkdtempSync(join(folder, `${index}-`))),
  }));
  return new Promise((resolve, reject) => {
    const program = [join(import.meta.dirname, 'heard.py'), join(target, 'model')];
    const child = spawn(join(target, 'bin', 'python'), program, { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      if (code !== 0) reject(new Error(`heard.py ended with ${code}`));
      else
        resolve(
          output
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Heard),
        );
    });
    child.stdin.end(JSON.stringify(input));
  });
}

function tableOf(all: readonly Heard[]): string {
  const number = (value: number) => value.toFixed(2).replace('-', '−');
  return table(
    ['bank', 'right', 'heard as another', 'margin, mean', 'margin, worst'],
    all.map(({ name, digits }) => {
      const wrong = digits.flatMap(({ heard }, digit) => (heard === digit ? [] : [`${digit} → ${heard}`]));
      const margins = digits.map(({ margin }) => margin);
      const mean = margins.reduce((sum, margin) => sum + margin, 0) / margins.length;
      return [name, `${10 - wrong.length}/10`, wrong.join(', ') || '–', number(mean), number(Math.min(...margins))];
    }),
  );
}

const requirements = join(import.meta.dirname, 'requirements.txt');
const problem = await preparePythonTools(say, { requirements, target });
if (problem !== undefined) {
  console.error(`prompts:listen: ${problem}`);
  process.exit(1);
}
const banks = chosenBanks();
say(`listening to ${banks.length} banks, some ten seconds each …`);
const text = tableOf(await hear(banks));
console.log(text);
if (process.argv.length === 2) {
  writeFileSync(page, readFileSync(page, 'utf8').replace(marked, `$1\n\n${text}\n\n$2`));
  say(`written to docs/voice-prompts.md`);
}
