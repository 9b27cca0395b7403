// How one call goes: its limits, the headers that the caller adds and the hooks, completed with the options of the client.

import { ConfigurationError } from './errors.ts';
import type { CallOptions } from './operation.ts';
import type { BaseSettings } from './options.ts';
import type { OnResponse } from './response-info.ts';
import { checkHeaders, checkHook, count, positive } from './values.ts';

const defaultTotalMs = 20_000;

export interface Course {
  timeoutMs: number;
  totalTimeoutMs: number;
  maxRetries: number;
  headers: Readonly<Record<string, string>>;
  hooks: readonly OnResponse[];
  signal: AbortSignal | undefined;
}

/** Throws ConfigurationError for a malformed option. */
export function courseOf(settings: BaseSettings, options: CallOptions): Course {
  const timeoutMs = positive('timeoutMs', options.timeoutMs ?? settings.timeoutMs);
  // Who gives a longer timeout does not want it cut by a default.
  const totalMs = options.totalTimeoutMs ?? settings.totalTimeoutMs ?? Math.max(defaultTotalMs, timeoutMs);
  const hooks = [settings.onResponse, checkHook(options.onResponse)];
  return {
    timeoutMs,
    totalTimeoutMs: positive('totalTimeoutMs', totalMs),
    maxRetries: count('maxRetries', options.maxRetries ?? settings.maxRetries),
    headers: { ...settings.headers, ...checkHeaders(options.headers) },
    hooks: hooks.filter((hook) => hook !== undefined),
    signal: options.signal,
  };
}

/** The same for a watch, which lasts as long as its session. */
export function courseOfWatch(settings: BaseSettings, options: CallOptions): Course {
  if (options.totalTimeoutMs !== undefined) throw new ConfigurationError('a watch takes no totalTimeoutMs');
  if (options.idempotencyKey !== undefined) throw new ConfigurationError('a watch takes no idempotencyKey');
  return { ...courseOf(settings, options), totalTimeoutMs: Number.POSITIVE_INFINITY };
}
