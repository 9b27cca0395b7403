// The marks of a picture: the sign of each, and the words below its lane. The words carry the signs, so that no legend is needed.

import type { Lane, Mark } from '../../story/story.ts';

export type Tone = Mark['tone'] | 'faint';
/** Colours, where the terminal has them. */
export type Paint = (tone: Tone, text: string) => string;

/** The sign of a mark, and its rank: of two that share a place the higher one is seen. */
export interface Sign {
  sign: string;
  rank: number;
}
const signs: Partial<Record<Mark['kind'], Sign>> = {
  opened: { sign: '○', rank: 0 },
  resent: { sign: '○', rank: 0 },
  submitted: { sign: '▸', rank: 1 },
  fallback: { sign: '▹', rank: 1 },
  busy: { sign: '…', rank: 1 },
  skipped: { sign: '–', rank: 2 },
  withdrawn: { sign: '–', rank: 2 },
  call: { sign: '◇', rank: 2 },
  unknown: { sign: '?', rank: 3 },
  receipt: { sign: '●', rank: 3 },
  timed_out: { sign: '┃', rank: 4 },
  verified: { sign: '★', rank: 6 },
};
const ends: Record<Mark['tone'], Sign> = {
  good: { sign: '✓', rank: 5 },
  bad: { sign: '✗', rank: 5 },
  neutral: { sign: '·', rank: 1 },
};

/** The sign of a mark. That of a receipt or a call shows how it ended; a kind without a sign of its own has that of its tone. */
export function signOf({ kind, tone }: Mark): Sign {
  const own = signs[kind];
  return own && (tone === 'neutral' || !['receipt', 'call'].includes(kind)) ? own : ends[tone];
}

/** The bar itself begins where its leg was started. */
export const isShown = ({ kind }: Mark) => kind !== 'started';

/** A row of the picture, as far as it is put in words. */
interface Described {
  lane: Lane | null;
  marks: readonly Mark[];
  nowMs: number;
  /** The time of a moment, as the axis counts it. */
  time(atMs: number): string;
  /** Columns that a line has. */
  width: number;
}

/** A mark in words, or a remark between marks. */
interface Words {
  sign: string;
  tone: Tone;
  text: string;
}

/** The marks of a row in words with their times, and why the cascade moved on; each line as its parts. */
export function wordsOf({ lane, marks, nowMs, time, width }: Described): Words[][] {
  const timed = marks.filter(isShown).map((mark) => {
    const said = [mark.word || mark.kind.replaceAll('_', ' '), mark.detail].filter(Boolean).join(' ');
    return {
      atMs: mark.atMs,
      sign: signOf(mark).sign,
      tone: mark.tone as Tone,
      text: `${time(mark.atMs)} ${said}`,
    };
  });
  if (lane?.moved) {
    // What the mark before it has just said is not said again.
    const why = ['receipt', 'submit_refused'].includes(lane.moved.why.code) ? ' at once' : `: ${lane.moved.reason}`;
    const text = lane.moved.to === null ? `no leg is left${why === ' at once' ? '' : why}` : `moved on${why}`;
    timed.push({ atMs: lane.moved.atMs, sign: '→', tone: 'neutral', text });
    timed.sort((a, b) => a.atMs - b.atMs);
  }
  const words: Words[] = timed;
  if (lane && !lane.moved && lane.outcome !== 'delivered') words.push({ sign: '', tone: 'faint', text: lane.reason });
  if (lane?.endMs === null && lane.timeoutAtMs !== null) {
    const left = Math.max(0, Math.ceil((lane.timeoutAtMs - nowMs) / 1_000));
    words.push({ sign: '', tone: 'faint', text: `${left} s left` });
  }
  return flow(words, width);
}

const lengthOf = ({ sign, text }: Words) => sign.length + text.length + (sign ? 1 : 0);
const GAP = 2;

/** Fills lines with as many words as fit; what does not fit on one line is broken between words. */
function flow(words: readonly Words[], width: number): Words[][] {
  const lines: Words[][] = [];
  let left = 0;
  for (const each of words.flatMap((long) => broken(long, width))) {
    const line = lines.at(-1);
    if (line && each.sign + each.text !== '' && lengthOf(each) + GAP <= left) {
      line.push(each);
      left -= lengthOf(each) + GAP;
    } else {
      lines.push([each]);
      left = width - lengthOf(each);
    }
  }
  return lines;
}

function broken(words: Words, width: number): Words[] {
  if (lengthOf(words) <= width) return [words];
  const room = width - (words.sign ? words.sign.length + 1 : 0);
  const at = words.text.lastIndexOf(' ', room);
  if (at <= 0) return [words];
  const rest = { ...words, sign: words.sign && ' ', text: words.text.slice(at + 1) };
  return [{ ...words, text: words.text.slice(0, at) }, ...broken(rest, width)];
}

/** One line; padded where something follows on its right. */
export function painted(words: readonly Words[], paint: Paint, width = 0): string {
  const gap = ' '.repeat(GAP);
  const length = words.reduce((sum, each) => sum + lengthOf(each) + GAP, -GAP);
  const line = words.map(({ sign, tone, text }) => (sign ? `${paint(tone, sign)} ${text}` : paint(tone, text)));
  return line.join(gap) + ' '.repeat(Math.max(0, width - Math.max(0, length)));
}
