// Times, spans and raw texts as the pane writes them. Digits are Western in every language, as in the Maghreb.

import type { Language } from '../ui/words.ts';

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', fr: 'fr-DZ', ar: 'ar-DZ' };

const two = (number: number) => String(number).padStart(2, '0');

/** `10:15:33.412`, in the reader's own time zone. */
export function clockTime(text: string | number | undefined): string {
  const date = new Date(text ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

/** A carrier's time as exactly as the carrier gave it: SMPP's has minutes, the messaging platform's seconds. */
export function carrierTime(text: string | number | undefined): { text: string; isToTheSecond: boolean } {
  const time = clockTime(text);
  if (time.endsWith(':00.000')) return { text: time.slice(0, 5), isToTheSecond: false };
  return { text: time.replace(/\.000$/, ''), isToTheSecond: time !== '–' };
}

const units: Readonly<Record<Language, { ms: string; s: string; min: string }>> = {
  en: { ms: 'ms', s: 's', min: 'min' },
  fr: { ms: 'ms', s: 's', min: 'min' },
  ar: { ms: 'مث', s: 'ث', min: 'د' },
};

/** `80 ms`, `4.2 s`, `15 s`, `2 min 5 s`. */
export function span(ms: number, language: Language): string {
  const unit = units[language];
  const number = (value: number, digits: number) =>
    new Intl.NumberFormat(locales[language], { maximumFractionDigits: digits }).format(value);
  if (ms < 1_000) return `${number(Math.round(ms), 0)} ${unit.ms}`;
  if (ms < 9_950) return `${number(ms / 1_000, 1)} ${unit.s}`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${number(seconds, 0)} ${unit.s}`;
  const rest = seconds % 60;
  return `${number(Math.floor(seconds / 60), 0)} ${unit.min}${rest > 0 ? ` ${number(rest, 0)} ${unit.s}` : ''}`;
}

/** `9:41`: what is left, as a clock counts down. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** Control characters are shown, as their pictures of Unicode. A receipt quotes the text in the operator's alphabet, not in ours. */
export const visible = (raw: string): string =>
  [...raw]
    .map((char) => {
      const code = char.charCodeAt(0);
      return code < 32 && char !== '\n' && char !== '\t' ? String.fromCodePoint(0x2400 + code) : char;
    })
    .join('');

/** JSON indented; what is no JSON as it came. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return visible(text);
  }
}
