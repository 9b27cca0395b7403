// Recorded clips: the fourteen that a bank of prompts holds, and the lists of them that a call is given to speak. They are 8 kHz A-law
// throughout, so that what a phone receives is the recording bit for bit.

import { alawSilence } from './alaw.ts';

export const clipNames = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'intro', 'press', 'again', 'bye'] as const;

/**
 * `intro`: who calls, and why. `press`: press a key to hear the code. `again`: press 1 to hear the code again. `bye`: the closing
 * words.
 */
export type ClipName = (typeof clipNames)[number];

/** A recording, or a pause within a phrase. */
export type Clip = { clip: ClipName } | { silenceMs: number };

/** The recordings of one language: clip name → A-law octets, 8,000 a second. */
export type Bank = ReadonlyMap<string, Uint8Array>;

/** Language (`ar`, `fr`) → its bank. */
export type Banks = ReadonlyMap<string, Bank>;

/** Samples of one millisecond at 8 kHz; one A-law octet each. */
export const samplesPerMs = 8;

/** The clip's A-law octets. @throws when the bank lacks the clip: a code with a digit left out would be a wrong code. */
export function octetsOf(clip: Clip, bank: Bank): Uint8Array {
  if ('silenceMs' in clip) return new Uint8Array(clip.silenceMs * samplesPerMs).fill(alawSilence);
  const octets = bank.get(clip.clip);
  if (octets === undefined) throw new Error(`the bank of prompts has no clip '${clip.clip}'`);
  return octets;
}
