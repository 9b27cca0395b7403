// A recording as a WAV that goes on while the call is up, for the `<audio>` of the phones page: what the phone hears is heard there about a
// second later. It ends with the call.

import type { Writable } from 'node:stream';
import { linearOf, type Recording, samplesPerSecond, wavHeader } from './recording.ts';

/**
 * Chromium gives a player nothing before 32 KB have come. At the 16 KB/s of a telephone that is two seconds each time, in which
 * the sound stands still; at six times as many samples it is a third of one.
 */
const finer = 6;

/** "No end is known": decoders read on until the connection ends. */
const endless = 0xffff_ffff;

/** Packets may overtake each other: what is younger is not sent yet. 60 ms. */
const mayChange = 480;

/** Read at once by a reader that fell behind, in samples of the telephone: half a second. */
const mostAtOnce = 4_000;

/** Writes the recording from its beginning. A reader that is slow gets it later, and nothing piles up meanwhile. */
export function playLive(recording: Recording, out: Writable): void {
  let sent = 0;
  let before = 0;
  const linear = linearOf(recording.codec);

  const next = (): Buffer => {
    const end = recording.isOver ? recording.length : recording.length - mayChange;
    const octets = recording.octets.subarray(sent, Math.min(Math.max(end, sent), sent + mostAtOnce));
    const samples = Buffer.alloc(octets.length * finer * 2);
    let at = 0;
    for (const octet of octets) {
      const sample = linear[octet] ?? 0;
      for (let step = 1; step <= finer; step += 1, at += 2) {
        samples.writeInt16LE(Math.round(before + ((sample - before) * step) / finer), at);
      }
      before = sample;
    }
    sent += octets.length;
    return samples;
  };
  const more = () => {
    while (!out.writableNeedDrain && !out.destroyed) {
      const samples = next();
      if (samples.length > 0) out.write(samples);
      else if (recording.isOver) return stop();
      else return;
    }
  };
  const stop = () => {
    deaf();
    out.end();
  };
  const deaf = recording.listen(more);
  out.on('drain', more);
  out.on('close', deaf);
  out.write(wavHeader(endless, samplesPerSecond * finer));
  more();
}
