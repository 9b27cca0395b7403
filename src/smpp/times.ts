// validity_period and schedule_delivery_time (SMPP v3.4 section 7.1.1): sixteen characters, absolute or relative.

import { zoneOffsetMs } from './zone.ts';

export type ValidityFormat = 'relative' | 'absolute' | 'none';

export interface ValidityOptions {
  /** `none` is the empty string: the SMSC's own default. */
  format: ValidityFormat;
  /** The remaining life is rounded down to a multiple of this, but never below one. Default 1. */
  granularitySeconds?: number;
  /** IANA zone in which an absolute time is written, with its offset; default UTC. */
  timeZone?: string;
}

/** The day field ends at 31; no SMSC keeps a message for longer than a few days anyway. */
const MAX_RELATIVE_SECONDS = 30 * 86_400;

/** How long the SMSC may try, as it is written in validity_period. All times in ms. */
export function validityPeriod(remainingMs: number, now: number, options: ValidityOptions): string {
  const { format, granularitySeconds = 1, timeZone } = options;
  if (format === 'none') return '';
  const steps = Math.max(1, Math.floor(remainingMs / 1000 / granularitySeconds));
  const seconds = steps * granularitySeconds;
  return format === 'relative' ? relativeTime(seconds) : absoluteTime(now + seconds * 1000, timeZone);
}

/** `YYMMDDhhmmss000R`: a span, its years and months left at zero. Longer than 30 days is cut to 30 days. */
export function relativeTime(spanSeconds: number): string {
  const seconds = Math.min(Math.max(0, Math.floor(spanSeconds)), MAX_RELATIVE_SECONDS);
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  return `0000${[days, hours, minutes, seconds % 60].map(twoDigits).join('')}000R`;
}

/**
 * `YYMMDDhhmmsstnnp`: local time, tenths of a second (always 0 here), and the offset from UTC in quarters of an hour. Written in
 * the SMSC's own zone, it is right even where the SMSC overlooks the offset.
 */
export function absoluteTime(at: number, timeZone = 'UTC'): string {
  const offsetMs = zoneOffsetMs(timeZone, at);
  const local = new Date(at + offsetMs).toISOString(); // 2026-01-02T03:04:05.678Z
  const quarters = Math.abs(offsetMs) / 900_000;
  return `${local.slice(2, 19).replace(/\D/g, '')}0${twoDigits(quarters)}${offsetMs < 0 ? '-' : '+'}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
