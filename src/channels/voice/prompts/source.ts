// The papers of a bank: SOURCE says, for machines, where its clips come from and whether they are placeholders; LICENSE says, for people,
// who may use them.

import { z } from 'zod';
import { type ClipName, clipNames } from '../clip.ts';
import { type PromptLanguage, promptLanguages, promptTexts } from './texts.ts';

const sourceSchema = z.object({
  language: z.enum(promptLanguages),
  /** true: a synthesiser's voice, until a person has recorded the words. */
  placeholder: z.boolean(),
  /** What made the files: a script of this repository, or `ramz prompts import`. */
  made_by: z.string().min(1),
  /** SPDX name, or null where none was given: then the bank is for its owner's use alone. */
  licence: z.string().min(1).nullable(),
  /** Program and settings, where a synthesiser spoke. */
  synthesiser: z
    .object({
      program: z.string(),
      version: z.string(),
      voice: z.string(),
      words_per_minute: z.record(z.string(), z.int()),
    })
    .optional(),
  /** Clip → the words in it. */
  clips: z.record(z.string(), z.string()),
});

export type BankSource = z.infer<typeof sourceSchema>;

export type SourceRead = { kind: 'ok'; source: BankSource } | { kind: 'refused'; reason: string };

export function parseSource(text: string): SourceRead {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'refused', reason: 'is not JSON' };
  }
  const parsed = sourceSchema.safeParse(json);
  if (parsed.success) return { kind: 'ok', source: parsed.data };
  return { kind: 'refused', reason: z.prettifyError(parsed.error).replace(/\s+/g, ' ') };
}

export const sourceText = (source: BankSource): string => `${JSON.stringify(source, null, 2)}\n`;

/** The words of every clip, in the order in which they are recorded. */
export const clipTexts = (language: PromptLanguage): Record<ClipName, string> =>
  Object.fromEntries(clipNames.map((name) => [name, promptTexts[language][name].text])) as Record<ClipName, string>;

/** LICENSE of banks that are given to all. */
export const CC0 = `The recordings and the texts of this folder are dedicated to the public domain under CC0 1.0 Universal
(https://creativecommons.org/publicdomain/zero/1.0/): to the extent possible under law, those who made them have waived all copyright and
related or neighbouring rights to them. They may be copied, changed, distributed and performed, also for money, without asking.

SPDX-License-Identifier: CC0-1.0
`;

/** LICENSE of banks that came without a word on it. */
export const NO_LICENCE = `No licence was given with these recordings. They are for the deployment of the one who imported them: who wants to
pass them on needs the consent of the person whose voice it is.
`;

/** What a speaker agrees to, before name and date. prompts/RECORDING.md and the recorder's page show it. */
export const CONSENT_TEXT = `The voice in these recordings is mine. I made them of my own free will, and I know that telephone calls to many people will use them.
I dedicate the recordings to the public domain under CC0 1.0 Universal (https://creativecommons.org/publicdomain/zero/1.0/): they may be
copied, changed and used by all, for any purpose, without asking and without pay. I know that this can't be taken back.
`;
