// `npm run prompts:make`: makes the placeholder banks in prompts/ with espeak-ng. They are committed, so nothing else needs the
// synthesiser; who changes a text in src/channels/voice/prompts/texts.ts runs this once.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clipNames } from '../../src/channels/voice/clip.ts';
import { prepareClip } from '../../src/channels/voice/prompts/prepare.ts';
import { type BankSource, CC0, clipTexts, sourceText } from '../../src/channels/voice/prompts/source.ts';
import { isDigit, type PromptLanguage, promptLanguages, promptTexts } from '../../src/channels/voice/prompts/texts.ts';

/** docs/voice-prompts.md has the numbers by which voice and speed were chosen. */
const voices: Record<PromptLanguage, { voice: string; digits: number; sentences: number }> = {
  ar: { voice: 'ar+max', digits: 115, sentences: 140 },
  fr: { voice: 'fr-fr', digits: 130, sentences: 145 },
};

const root = join(import.meta.dirname, '..', '..');

/** What no program's licence covers is said in the bank's own LICENSE. */
const aboutSynthesis = `
The voice is that of espeak-ng, a speech synthesiser under the GNU General Public License, version 3 or later. That licence covers the
program; its section 2 covers the output of a program only if the output, given its content, is a covered work. A spoken word contains
nothing of the program's text, so these files are not covered by it. Nothing of espeak-ng is in this repository.
`;

const espeak = (args: readonly string[]) => spawnSync('espeak-ng', args, { maxBuffer: 2 ** 26 });

function version(): string {
  const { stdout, error } = espeak(['--version']);
  const found = /text-to-speech: (\S+)/.exec(String(stdout ?? ''))?.[1];
  if (error || found === undefined) {
    console.error(
      'prompts:make needs the program espeak-ng (Debian: apt-get install espeak-ng). The banks in prompts/ are as they were.',
    );
    process.exit(1);
  }
  return found;
}

function speak(language: PromptLanguage): Map<string, Uint8Array> {
  const { voice, digits, sentences } = voices[language];
  const files = new Map<string, Uint8Array>();
  for (const name of clipNames) {
    const { text, spoken = text } = promptTexts[language][name];
    const speed = isDigit(name) ? digits : sentences;
    const { stdout, stderr, status } = espeak(['-v', voice, '-s', String(speed), '-g', '2', '--stdout', '--', spoken]);
    if (status !== 0) throw new Error(`espeak-ng failed: ${stderr}`);
    const prepared = prepareClip(name, stdout);
    if (prepared.kind === 'refused') throw new Error(`${language}/${name} ${prepared.reason}`);
    files.set(`${name}.al`, prepared.clip);
  }
  return files;
}

const espeakVersion = version();
for (const language of promptLanguages) {
  const files = speak(language);
  const { voice, digits, sentences } = voices[language];
  const source: BankSource = {
    language,
    placeholder: true,
    made_by: 'scripts/prompts/make.ts (npm run prompts:make)',
    licence: 'CC0-1.0',
    synthesiser: { program: 'espeak-ng', version: espeakVersion, voice, words_per_minute: { digits, sentences } },
    clips: clipTexts(language),
  };
  const folder = join(root, 'prompts', language);
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'SOURCE'), sourceText(source));
  writeFileSync(join(folder, 'LICENSE'), CC0 + aboutSynthesis);
  const octets = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  console.log(`prompts/${language}: ${files.size} clips, ${Math.round(octets / 1024)} KiB`);
}
