// A recording session: takes come one by one, each is answered with how a telephone will speak it or why it can't be used, and a whole set
// becomes a bank. It is held in memory until it is written.

import { alawToLinear } from '../alaw.ts';
import { type ClipName, clipNames } from '../clip.ts';
import type { ClipFacts } from './check.ts';
import { makeBank, writeBank } from './import.ts';
import { prepareClip } from './prepare.ts';
import { CONSENT_TEXT } from './source.ts';
import { type PromptLanguage, promptLanguages, promptTexts } from './texts.ts';
import { writeWav } from './wav.ts';

export type Take =
  /** `heard`: a WAV file of the clip as it will be spoken. */
  { kind: 'ok'; facts: ClipFacts; heard: Uint8Array } | { kind: 'refused'; reason: string };

export interface Line {
  name: ClipName;
  text: string;
  /** Of Arabic text: the same in Latin letters; else empty. */
  latin: string;
  taken: boolean;
}

/** Name and date of a speaker who agrees to CONSENT_TEXT. */
export interface Consent {
  speaker: string;
  date: string;
}

export class RecordingSession {
  readonly #language: PromptLanguage;
  readonly #takes = new Map<ClipName, Uint8Array>();

  constructor(language: PromptLanguage) {
    this.#language = language;
  }

  lines(): Line[] {
    const texts = promptTexts[this.#language];
    return clipNames.map((name) => ({
      name,
      text: texts[name].text,
      latin: texts[name].latin ?? '',
      taken: this.#takes.has(name),
    }));
  }

  /** The WAV file of a line that was taken. */
  recorded(name: ClipName): Uint8Array | undefined {
    return this.#takes.get(name);
  }

  /** A take that can't be used leaves the one before it. */
  take(name: ClipName, wav: Uint8Array): Take {
    const prepared = prepareClip(name, wav);
    if (prepared.kind === 'refused') return prepared;
    this.#takes.set(name, wav);
    const heard = writeWav(Int16Array.from(prepared.clip, alawToLinear), 8_000);
    return { kind: 'ok', facts: prepared.facts, heard };
  }

  /** Makes the bank and writes it to the folder `to`: no problems, or what stands against it, and then nothing is written. */
  write(to: string, consent: Consent | null): string[] {
    const files = new Map<string, Uint8Array>([...this.#takes].map(([name, wav]) => [`${name}.wav`, wav]));
    if (consent) files.set('CONSENT.txt', Buffer.from(consentText(consent)));
    const made = makeBank(this.#language, files, "the sandbox's recorder");
    if (made.kind === 'refused') return made.problems;
    const problem = writeBank(to, made.bank);
    return problem === null ? [] : [problem];
  }
}

export const consentText = ({ speaker, date }: Consent): string => `${CONSENT_TEXT}\n${speaker}, ${date}\n`;

/** One session for each language. */
export const recordingSessions = (): Record<PromptLanguage, RecordingSession> =>
  Object.fromEntries(promptLanguages.map((language) => [language, new RecordingSession(language)])) as Record<
    PromptLanguage,
    RecordingSession
  >;

export const isClipName = (name: string): name is ClipName => (clipNames as readonly string[]).includes(name);
