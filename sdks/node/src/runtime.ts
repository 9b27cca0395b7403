// What differs between runtimes and what tests replace: waiting, chance, environment variables, where we run.

export interface Runtime {
  /** Rejects with the signal's reason when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
}

export const systemRuntime: Runtime = { sleep, random: Math.random, now: () => performance.now() };

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

interface Globals {
  process?: { env?: Record<string, string | undefined>; versions?: Record<string, string | undefined> };
  document?: unknown;
  window?: unknown;
  WorkerGlobalScope?: unknown;
  navigator?: { userAgent?: string };
}
const globals = globalThis as Globals;

/** An environment variable; undefined where there are none, or where Deno was not allowed to read it. */
export function environment(name: string): string | undefined {
  try {
    return globals.process?.env?.[name];
  } catch {
    return undefined;
  }
}

/** `node/24.21.0`; Deno and Bun name a version of Node, too. Empty where the runtime says nothing. */
export function runtimeName(): string {
  const versions = globals.process?.versions ?? {};
  const name = ['deno', 'bun', 'node'].find((one) => versions[one] !== undefined);
  return name === undefined ? '' : `${name}/${versions[name]}`;
}

/** A page or a worker of one: whatever it holds, its visitors can read. Edge runtimes have workers, too, but no Mozilla. */
export function isBrowser(): boolean {
  if (globals.window !== undefined && globals.document !== undefined) return true;
  return globals.WorkerGlobalScope !== undefined && /^Mozilla\//.test(globals.navigator?.userAgent ?? '');
}

let isCacheKnown: boolean | undefined;

/**
 * For the `init` of every call: the `fetch` of Next.js 13.4 to 14 keeps what a GET was answered for good, and a session would be
 * pending for ever. Empty where the runtime refuses the option, as Cloudflare's Workers did until the end of 2024.
 */
export function uncached(): { cache?: 'no-store' } {
  isCacheKnown ??= takesCache();
  return isCacheKnown ? { cache: 'no-store' } : {};
}

function takesCache(): boolean {
  try {
    new Request('http://x', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

/** 128 random bits, for an idempotency key. Not `randomUUID`, which pages without TLS lack. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
