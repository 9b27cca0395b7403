// The options of a client: read, checked, and completed from the environment. Nothing is sent here.

import { ConfigurationError } from './errors.ts';
import type { OnResponse } from './response-info.ts';
import { environment, isBrowser, type Runtime, runtimeName, systemRuntime } from './runtime.ts';
import { checkHeaders, checkHook, checkUserAgent, count, positive } from './values.ts';
import { version } from './version.ts';

/** `fetch`, or something like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of every client, whatever its transport. */
export interface BaseOptions {
  /** An API key. Default: the environment variable `RAMZ_API_KEY`. */
  apiKey?: string | undefined;
  /** How long one attempt may last, in milliseconds. Default 10 000. */
  timeoutMs?: number | undefined;
  /**
   * How long a call may last with all its attempts and pauses, in milliseconds. Default 20 000, or `timeoutMs` where that is
   * longer. A watch has none.
   */
  totalTimeoutMs?: number | undefined;
  /** How often a call may be repeated. Default 2; 0: never. */
  maxRetries?: number | undefined;
  /** Sent with every request, for a gateway in front of the service. */
  headers?: Readonly<Record<string, string>> | Headers | undefined;
  /** Added to the SDK's own user agent, such as `my-shop/1.2`. Pages in a browser cannot set it. */
  userAgent?: string | undefined;
  /** Called after each attempt of a call, successful or not. */
  onResponse?: OnResponse | undefined;
  /** @internal For tests of the SDK. */
  runtime?: Partial<Runtime> | undefined;
}

/** Options of `Ramz`. */
export interface Options extends BaseOptions {
  /** Where the service is, e.g. `https://verify.example`; a path is kept. Default: the environment variable `RAMZ_BASE_URL`. */
  baseUrl?: string | undefined;
  /** Your own `fetch`, with proxies and certificates as you need them. Default: the runtime's. */
  fetch?: Fetch | undefined;
  /**
   * Allows a client in a web page. A key there belongs to everybody who opens the page; use a test key, and only for
   * trying things out. Default false.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

export interface BaseSettings {
  apiKey: string;
  timeoutMs: number;
  /** Undefined: the default, which looks at the timeout. */
  totalTimeoutMs: number | undefined;
  maxRetries: number;
  headers: Readonly<Record<string, string>>;
  userAgent: string;
  onResponse: OnResponse | undefined;
  runtime: Runtime;
}
export interface Settings extends BaseSettings {
  baseUrl: string;
  fetch: Fetch;
}

export function readOptions(options: Options): Settings {
  if (isBrowser() && !options.dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'an API key in a web page is everybody’s: call Ramz from your server (or set dangerouslyAllowBrowser, with a test key)',
    );
  }
  const own = options.fetch;
  if (own !== undefined && typeof own !== 'function') throw new ConfigurationError('fetch must be a function');
  return {
    ...readBaseOptions(options),
    baseUrl: readBaseUrl(options.baseUrl ?? environment('RAMZ_BASE_URL'), 'RAMZ_BASE_URL'),
    // Looked up at each call: tests and instrumentation replace it.
    fetch: own ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

export function readBaseOptions(options: BaseOptions): BaseSettings {
  const { timeoutMs = 10_000, totalTimeoutMs, maxRetries = 2 } = options;
  return {
    apiKey: readKey(options.apiKey ?? environment('RAMZ_API_KEY')),
    timeoutMs: positive('timeoutMs', timeoutMs),
    totalTimeoutMs: totalTimeoutMs === undefined ? undefined : positive('totalTimeoutMs', totalTimeoutMs),
    maxRetries: count('maxRetries', maxRetries),
    headers: checkHeaders(options.headers),
    userAgent: `ramz-node/${version} ${runtimeName()} ${checkUserAgent(options.userAgent)}`.replace(/ +/g, ' ').trim(),
    onResponse: checkHook(options.onResponse),
    runtime: { ...systemRuntime, ...options.runtime },
  };
}

/** Never with the key in the message. */
function readKey(key: unknown): string {
  if (key === undefined || key === '') {
    throw new ConfigurationError('no API key: give apiKey, or set the environment variable RAMZ_API_KEY');
  }
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) {
    throw new ConfigurationError('the API key holds a space, a newline or another character that no key has');
  }
  return key;
}

/** Without a slash at its end. `variable` is where it could have come from. */
export function readBaseUrl(text: unknown, variable: string): string {
  if (text === undefined || text === '') {
    throw new ConfigurationError(
      `no address: give baseUrl, or set the environment variable ${variable}. Ramz is self-hosted`,
    );
  }
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError('baseUrl must be like https://verify.example, or with a path behind');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function parseUrl(text: unknown): URL | undefined {
  try {
    return new URL(String(text));
  } catch {
    return undefined;
  }
}
