// The time limits that callers state in headers, of gRPC (`grpc-timeout: 5S`) and of Connect (`Connect-Timeout-Ms: 5000`).

/** The longest that a timer can run, about 25 days, ms. A longer one would ring at once. */
export const maxTimerMs = 2 ** 31 - 1;

const unitMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6, '': 1 };

/** In ms; undefined for any other form: the protocol's own reader refuses it. */
export function timeoutMsOf(header: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,10})([HMSmun]?)$/.exec(header) ?? [];
  return digits === undefined ? undefined : Number(digits) * (unitMs[unit] ?? 1);
}

type TimeoutHeader = 'grpc-timeout' | 'connect-timeout-ms';

/** In place of a limit that no timer can keep. The number in `grpc-timeout` has 8 digits at most. */
const longest: Record<TimeoutHeader, string> = {
  'grpc-timeout': `${Math.floor(maxTimerMs / 1000)}S`,
  'connect-timeout-ms': String(maxTimerMs),
};

/** Shortens the limit in `headers` to what a timer can keep. */
export function boundTimeout(headers: NodeJS.Dict<string | string[]>, name: TimeoutHeader): void {
  const header = headers[name];
  if (typeof header === 'string' && (timeoutMsOf(header) ?? 0) > maxTimerMs) headers[name] = longest[name];
}
