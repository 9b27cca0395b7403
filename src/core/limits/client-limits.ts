// The rule `client_limit`: sends of one account for one end user. A user agent is shared by millions, so it counts at one address only.

import type { ClientSignals } from './client.ts';
import type { Finding } from './verdict.ts';

/** Null = not counted. */
export interface ClientLimit {
  sendsPerHour: number | null;
  sendsPerDay: number | null;
}

export interface ClientLimits {
  ip: ClientLimit;
  device: ClientLimit;
  userAgent: ClientLimit;
}

/** What an account has in place of the platform's. */
export type OwnClientLimits = { readonly [Signal in keyof ClientLimits]: Partial<ClientLimit> };

/** One count that a send goes into. */
export interface ClientCount {
  /** As the contract names it in `client`. */
  signal: 'ip' | 'device_id' | 'user_agent';
  /** What is counted: hashed before it is stored. */
  value: string;
  periodMs: number;
  most: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function clientCounts(
  { ip, deviceId, userAgent }: ClientSignals,
  limits: ClientLimits,
  own: OwnClientLimits,
): ClientCount[] {
  const both = ip === undefined || userAgent === undefined ? undefined : `${ip}\n${userAgent}`;
  return [
    ...countsOf('ip', ip, { ...limits.ip, ...own.ip }),
    ...countsOf('device_id', deviceId, { ...limits.device, ...own.device }),
    ...countsOf('user_agent', both, { ...limits.userAgent, ...own.userAgent }),
  ];
}

function countsOf(
  signal: ClientCount['signal'],
  value: string | undefined,
  { sendsPerHour, sendsPerDay }: ClientLimit,
): ClientCount[] {
  if (value === undefined) return [];
  return [
    ...(sendsPerHour === null ? [] : [{ signal, value, periodMs: hourMs, most: sendsPerHour }]),
    ...(sendsPerDay === null ? [] : [{ signal, value, periodMs: dayMs, most: sendsPerDay }]),
  ];
}

/** What is found where the count has reached its limit. */
export const clientLimited = ({ signal }: ClientCount): Finding => ({
  rule: 'client_limit',
  reason: signal,
  field: `client.${signal}`,
});
