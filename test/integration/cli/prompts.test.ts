// `ramz prompts` and `ramz doctor prompts` on real folders: a bank is imported whole or not at all, and is then the one in use.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { clipNames } from '../../../src/channels/voice/clip.ts';
import { loadBank, ownBanks, placeholderWarning } from '../../../src/channels/voice/prompts/bank.ts';
import { resampleTo8k } from '../../../src/channels/voice/prompts/resample.ts';
import { readWav } from '../../../src/channels/voice/prompts/wav.ts';
import { doctorPrompts, prompts } from '../../../src/cli/prompts.ts';
import { testFolder } from '../../support/folder.ts';
import { recording, recordings, speech, wavOf, zipOf } from '../../unit/channels/voice/prompts/sounds.ts';

const root = testFolder('prompts');
let folder = '';
let count = 0;
beforeEach(() => {
  count += 1;
  folder = join(root, String(count));
  mkdirSync(folder);
});

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const lines: string[] = [];
  const complaints: string[] = [];
  const written: Uint8Array[] = [];
  const options = {
    env,
    say: (line: string) => lines.push(line),
    complain: (line: string) => complaints.push(line),
    write: (bytes: Uint8Array) => written.push(bytes),
  };
  const [verb, ...rest] = args;
  const code =
    verb === 'doctor' ? doctorPrompts(options) : await prompts([verb ?? '', ...rest].filter(Boolean), options);
  return { code, said: lines.join('\n'), complained: complaints.join('\n'), sound: Buffer.concat(written) };
}

function save(files: ReadonlyMap<string, Uint8Array>, to = join(folder, 'recorded')): string {
  mkdirSync(to, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(to, name), bytes);
  return to;
}

/** Every file below a folder, with what is in it. */
const contents = (of: string) =>
  readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')])
    .sort();

const without = (name: string) => new Map([...recordings()].filter(([each]) => each !== name));
const changed = (name: string, wav: Uint8Array) => recordings().set(name, wav);

function configured(settings: object): NodeJS.ProcessEnv {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify(settings));
  return { RAMZ_CONFIG: path };
}

test('a configuration file may begin with a byte order mark, as for the service', async () => {
  const { RAMZ_CONFIG: path = '' } = configured({ voice: { prompts: { ar: join(folder, 'nowhere') } } });
  writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8')}`);
  const { code, said } = await run(['list'], { RAMZ_CONFIG: path });
  expect(code).toBe(1);
  expect(said).toContain('nowhere');
});

describe('import', () => {
  test('makes a bank of a folder, beside the data, and says how it is used', async () => {
    const { code, said } = await run(['import', save(recordings())], { RAMZ_DATA: folder });
    expect(code).toBe(0);
    const to = join(folder, 'prompts', 'ar');
    expect(said).toContain(`"voice": { "prompts": { "ar": "${to}" } }`);
    const loaded = loadBank({ language: 'ar', folder: to });
    expect(loaded).toMatchObject({
      kind: 'ok',
      bank: { placeholders: [], source: { placeholder: false, licence: null } },
    });
    expect(readdirSync(join(folder, 'prompts'))).toEqual(['ar']);
    expect(readFileSync(join(to, 'LICENSE'), 'utf8')).toMatch(/^No licence was given/);

    const env = configured({ voice: { prompts: { ar: to } } });
    expect(await run(['doctor'], env)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/recorded: ramz prompts import/),
    });
    expect((await run(['list'], env)).said).toContain(to);
  });

  test('makes the same of a ZIP, and takes the speaker’s consent as the licence', async () => {
    const consent = 'I dedicate these recordings to the public domain (CC0 1.0). A. Speaker, 2026-11-22';
    const files = [...recordings(), ['CONSENT.txt', Buffer.from(consent)] as const];
    const path = join(folder, 'bank.zip');
    const junk = { name: '__MACOSX/fr/._0.wav', data: Buffer.from('no sound') };
    writeFileSync(
      path,
      zipOf([
        ...files.map(([name, data]) => ({
          name: `fr/${name.toUpperCase()}`.replace('CONSENT.TXT', 'CONSENT.txt'),
          data,
        })),
        junk,
      ]),
    );
    const to = join(folder, 'bank');
    expect((await run(['import', path, '--lang', 'fr', '--to', to])).said).toContain('written to');
    expect(loadBank({ language: 'fr', folder: to })).toMatchObject({
      bank: { source: { licence: 'CC0-1.0' }, recorded: null },
    });
    expect(readFileSync(join(to, 'LICENSE'), 'utf8')).toContain(consent);
    const twin = join(folder, 'twin');
    await run(['import', save(recordings()), '--lang', 'fr', '--to', twin]);
    for (const name of clipNames)
      expect(readFileSync(join(to, `${name}.al`))).toEqual(readFileSync(join(twin, `${name}.al`)));
  });

  test('takes each language of an archive of two from its own folder', async () => {
    const files = [...recordings()].flatMap(([name, data]) => [
      { name: `fr/${name}`, data: recording(0.2) },
      { name: `ar/${name}`, data },
    ]);
    const path = join(folder, 'both.zip');
    writeFileSync(path, zipOf(files));
    expect((await run(['import', path, '--to', join(folder, 'ar')])).code).toBe(0);
    expect((await run(['import', path, '--lang', 'fr', '--to', join(folder, 'fr')])).said).toMatch(
      /fr\/intro\.wav lasts/,
    );
  });

  test.each<[string, ReadonlyMap<string, Uint8Array>, RegExp]>([
    ['a clip is missing', without('7.wav'), /^7\.wav is missing$/m],
    [
      'a clip is silent',
      changed('7.wav', wavOf([new Float32Array(8_000)], { tag: 'pcm', bits: 16, rate: 8_000 })),
      /^7\.wav has no speech/m,
    ],
    ['a clip is no WAV', changed('bye.wav', Buffer.from('OggS')), /^bye\.wav is no WAV file$/m],
    ['nothing is there', new Map(), /^0\.wav is missing(\n.*)*bye\.wav is missing$/m],
  ])('writes nothing where %s', async (_, files, problem) => {
    const to = join(folder, 'bank');
    await run(['import', save(recordings(), join(folder, 'before')), '--to', to]);
    const before = contents(folder);
    const from = save(files);
    const { code, said } = await run(['import', from, '--to', to]);
    expect(code).toBe(1);
    expect(said).toMatch(problem);
    expect(said).toMatch(/^nothing was written to /m);
    expect(contents(folder).filter(([path]) => !path?.startsWith(from))).toEqual(before);
  });

  test('names every clip that is wrong, not the first alone', async () => {
    const wrong = new Map([...without('7.wav'), ['3.wav', Buffer.from('x')]]);
    expect((await run(['import', save(wrong), '--to', join(folder, 'bank')])).said).toMatch(
      /3\.wav is no WAV file\n7\.wav is missing/,
    );
  });

  test('replaces a bank, behind a link too, and nothing else', async () => {
    const from = save(recordings());
    const to = join(folder, 'bank');
    await run(['import', from, '--to', to]);
    writeFileSync(join(to, 'left-over.al'), 'old');
    const link = join(folder, 'link');
    symlinkSync(to, link);
    expect((await run(['import', from, '--to', link])).code).toBe(0);
    expect(readdirSync(to)).not.toContain('left-over.al');
    const home = join(folder, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'letter.txt'), 'dear');
    expect(await run(['import', from, '--to', home])).toMatchObject({
      code: 1,
      said: expect.stringMatching(/no bank of prompts/),
    });
    expect(readdirSync(home)).toEqual(['letter.txt']);
    expect(readdirSync(folder).sort()).toEqual(['bank', 'home', 'link', 'recorded']);
  });

  test('says where it cannot read or write', async () => {
    expect((await run(['import', join(folder, 'none')])).said).toMatch(/none is missing$/m);
    writeFileSync(join(folder, 'a.txt'), 'text');
    expect((await run(['import', join(folder, 'a.txt')])).said).toMatch(/is neither a folder nor a \.zip$/m);
    writeFileSync(join(folder, 'a.zip'), 'text');
    expect((await run(['import', join(folder, 'a.zip')])).said).toMatch(/a\.zip is no ZIP archive$/m);
    const from = save(recordings());
    expect((await run(['import', from, '--to', join(folder, 'a.txt', 'bank')])).said).toMatch(
      /can't be written: ENOTDIR/,
    );
  });
});

describe('digits that a package brings', () => {
  const digits = () => new Map([...recordings()].filter(([name]) => /^\d/.test(name)));
  const choice = (of: string) => ({ fr: { folder: of, package: 'a-package', attribution: 'digits: A. Speaker' } });

  test('take the place of placeholders, and leave the sentences', () => {
    const loaded = loadBank({ language: 'fr', folder: null, recorded: choice(save(digits())) });
    if (loaded.kind === 'refused') throw new Error(loaded.problems.join());
    expect(loaded.bank.recorded?.package).toBe('a-package');
    expect(loaded.bank.placeholders).toEqual(['intro', 'press', 'again', 'bye']);
    expect(placeholderWarning(loaded.bank)).toMatch(/speaks the sentences in "fr"/);
    expect(Buffer.from(loaded.bank.clips.get('4') ?? [])).not.toEqual(readFileSync(join(ownBanks, 'fr', '4.al')));
  });

  test('leave a folder that was chosen as it is', () => {
    const loaded = loadBank({ language: 'fr', folder: join(ownBanks, 'fr'), recorded: choice(save(digits())) });
    expect(loaded).toMatchObject({ bank: { recorded: null, placeholders: clipNames } });
  });

  test.each([
    ['one is missing', (all: Map<string, Uint8Array>) => all.delete('4.wav')],
    ['one is no sound', (all: Map<string, Uint8Array>) => all.set('4.wav', Buffer.from('x'))],
  ])('are passed over where %s', (_, spoil) => {
    const all = digits();
    spoil(all);
    expect(loadBank({ language: 'fr', folder: null, recorded: choice(save(all)) })).toMatchObject({
      bank: { recorded: null },
    });
  });
});

describe('play', () => {
  test.each(['ar', 'fr'])('writes the call that reads a code in %s', async (language) => {
    const { code, sound } = await run(['play', '4072', '--lang', language]);
    expect(code).toBe(0);
    const read = readWav(sound);
    const samples = read.kind === 'ok' ? resampleTo8k(read.sound.channels[0]!, read.sound.rate) : new Float32Array();
    const bank = loadBank({ language: language as 'ar', folder: null });
    const ms = (name: string) =>
      (bank.kind === 'ok' ? [...bank.bank.facts].find(([each]) => each === name)?.[1].lengthMs : 0) ?? 0;
    const twice = ['4', '0', '7', '2', '4', '0', '7', '2'].reduce((sum, name) => sum + ms(name), 0);
    const words = ['intro', 'press', 'again', 'bye'].reduce((sum, name) => sum + ms(name), 0);
    expect(samples.length / 8).toBeGreaterThan(twice + words + 6 * 400);
    expect(samples.length / 8).toBeLessThan(twice + words + 15_000);
  });

  test('fails where the bank does', async () => {
    const env = configured({ voice: { prompts: { ar: '/nowhere' } } });
    const { code, said, complained, sound } = await run(['play', '1'], env);
    expect({ code, said, sound }).toEqual({ code: 1, said: '', sound: Buffer.alloc(0) });
    expect(complained).toContain('/nowhere/SOURCE is missing');
  });
});

describe('doctor', () => {
  test('shows the banks that come with Ramz, and that they are placeholders', async () => {
    const { code, said } = await run(['doctor']);
    expect(code).toBe(0);
    expect(said.match(/placeholder prompts: /g)).toHaveLength(2);
    expect(said).toMatch(/ar {2}\/.*\n {4}placeholder: espeak-ng [\d.]+, voice ar/);
  });

  test('fails with the file and the reason where a bank is broken', async () => {
    const to = join(folder, 'bank');
    await run(['import', save(recordings()), '--to', to]);
    writeFileSync(join(to, '4.al'), Buffer.alloc(800, 0xd5));
    const env = configured({ voice: { prompts: { ar: to } } });
    const { code, said } = await run(['doctor'], env);
    expect(code).toBe(1);
    expect(said).toContain(`${to}/4.al lasts 0.10 s, and must last at least 0.15 s`);
    expect(said).toContain('calls in this language fail until this is mended');
  });

  test('says what is wrong with the configuration file', async () => {
    expect((await run(['doctor'], { RAMZ_CONFIG: '/nowhere' })).said).toMatch(
      /RAMZ_CONFIG: \/nowhere cannot be read: ENOENT/,
    );
    const env = configured({});
    writeFileSync(env.RAMZ_CONFIG ?? '', '{');
    expect(await run(['doctor'], env)).toMatchObject({ code: 1, said: expect.stringMatching(/is not valid JSON$/) });
  });
});

test.each([
  [[]],
  [['play']],
  [['play', '12a']],
  [['play', '1', '--lang', 'en']],
  [['import']],
  [['list', 'all']],
  [['list', '--no']],
])('what is not understood is answered with the usage: %j', async (args) => {
  expect(await run(args)).toMatchObject({ code: 2, said: '', complained: expect.stringMatching(/^usage/) });
});

test('help is no mistake', async () => expect((await run(['help'])).code).toBe(0));

test('a clip in the folder is what the recording says, at another rate', async () => {
  const tone = wavOf([speech(0.6, 44_100, 0.3, 600)], { tag: 'float', bits: 32, rate: 44_100 });
  const to = join(folder, 'bank');
  expect((await run(['import', save(changed('4.wav', tone)), '--to', to])).code).toBe(0);
  expect(readFileSync(join(to, '4.al')).length / 8).toBeCloseTo(600, -1);
});
