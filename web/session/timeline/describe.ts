// A mark in words: its pictogram, the short label under it, and its details as lines of text, which the tooltip shows and a screen reader says.

import type { Why } from '../../../src/story/reasons.ts';
import type { Mark } from '../../../src/story/story.ts';
import type { Language } from '../../ui/languages.ts';
import { carrierTime, clockTime, span } from '../format.ts';
import type { IconName } from '../icons.tsx';
import { pictureWord, wordOr } from './words.ts';

const callIcons: Readonly<Record<string, IconName>> = {
  ringing: 'voice',
  answered: 'dots',
  heard: 'sound',
  over: 'put_down',
  hung_up: 'put_down',
};

const icons: Partial<Record<Mark['kind'], IconName>> = {
  opened: 'start',
  resent: 'again',
  started: 'start',
  skipped: 'skip',
  submitted: 'up',
  unknown: 'question',
  refused: 'cross',
  withdrawn: 'skip',
  fallback: 'again',
  busy: 'clock',
  timed_out: 'clock',
  delivered: 'check',
  exhausted: 'cross',
  check_failed: 'cross',
  verified: 'shield',
  expired: 'clock',
  canceled: 'cross',
  failed: 'cross',
};

export function iconOf({ kind, tone, word }: Mark): IconName {
  if (kind === 'call') return callIcons[word] ?? 'cross';
  if (kind === 'receipt') return tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'dots';
  return icons[kind] ?? 'dots';
}

/** The first word of a detail such as `001: absent subscriber`; the rest is in the tooltip. */
const shortDetail = ({ detail }: Mark): string => /^[^\s:]{1,8}(?=:|\s|$)/.exec(detail)?.[0] ?? '';

/** The label under the mark; empty for those that speak by their pictogram. */
export function labelOf(mark: Mark, language: Language): string {
  const { kind, word, tone } = mark;
  if (kind === 'receipt') return tone === 'bad' ? `${word} ${shortDetail(mark)}`.trim() : word;
  if (kind === 'call') return wordOr(language, `call_${word}`, word);
  if (kind === 'refused') return wordOr(language, `call_${word}`, pictureWord(language, 'refused'));
  return wordOr(language, `label_${kind}`, '');
}

/** Which labels stay where there is no room for all: a bad one rather than a good one, and that rather than a step on the way. */
export const weightOf = ({ tone, kind }: Mark): number =>
  (tone === 'bad' ? 3 : tone === 'good' ? 2 : 1) + (kind === 'timed_out' ? 0.5 : 0);

export interface Description {
  title: string;
  lines: string[];
}

export function describe(
  mark: Mark,
  { startMs, language, reason }: { startMs: number; language: Language; reason: (why: Why) => string },
): Description {
  const say = (key: Parameters<typeof pictureWord>[1], values = {}) => pictureWord(language, key, values);
  const { kind, word, detail, why, operatorMs, call, atMs } = mark;
  const isWire = kind === 'receipt' || kind === 'other';
  const name = kind === 'call' ? wordOr(language, `call_${word}`, word) : isWire ? word : '';
  const lines = [`${clockTime(atMs)}  (+${span(atMs - startMs, language)})`];
  if (why) lines.push(reason(why));
  else if (detail) lines.push(detail);
  if (operatorMs !== null) lines.push(say('operatorTime', { time: carrierTime(operatorMs).text }));
  if (call?.ring_ms != null) lines.push(say('rang', { time: span(call.ring_ms, language) }));
  if (call?.talk_seconds) lines.push(say('talked', { time: span(call.talk_seconds * 1_000, language) }));
  if (call?.readings) lines.push(say('readings', { count: call.readings }));
  const title = say(`mark_${kind}`);
  return { title: name ? `${title}: ${name}` : title, lines };
}
