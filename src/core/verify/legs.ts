// The cascade of a send: the client's, else the account's, else the platform's. It is pure, so that the command line and the API settle
// legs alike.

import { type Refusal, refused } from './event.ts';
import { usualTimeoutMs } from './open.ts';
import { legMs } from './rules.ts';
import type { Channel, Leg } from './session.ts';

export interface AskedLegs {
  /** null = not said. */
  channel: Channel | null;
  /** Empty = not said. */
  cascade: readonly AskedLeg[];
}

export interface AskedLeg {
  channel: Channel;
  /** null = not said. */
  timeoutSeconds: number | null;
}

/** A deployment's settings for legs. */
export interface LegSettings {
  readonly cascade: { channel: Channel; timeoutSeconds: number }[];
  readonly timeoutSeconds: { readonly min: number; readonly max: number };
}

/** At least one leg, no channel twice. */
export function settleLegs(
  asked: AskedLegs,
  accountCascade: readonly Leg[] | null,
  verify: LegSettings,
): { kind: 'ok'; legs: Leg[] } | Refusal {
  if (asked.cascade.length > 0) return givenLegs(asked, verify);
  const preset = accountCascade ?? verify.cascade.map(toLeg);
  return { kind: 'ok', legs: from(asked.channel, preset, verify) };
}

function givenLegs({ channel, cascade }: AskedLegs, verify: LegSettings): ReturnType<typeof settleLegs> {
  const [first] = cascade;
  if (channel !== null && first?.channel !== channel) {
    return refused('invalid_argument', 'cascade[0].channel', `must be ${channel}, as channel says`);
  }
  const { min, max } = verify.timeoutSeconds;
  const legs: Leg[] = [];
  for (const [at, leg] of cascade.entries()) {
    const { channel: name, timeoutSeconds } = leg;
    if (legs.some((earlier) => earlier.channel === name)) {
      return refused('invalid_argument', `cascade[${at}].channel`, `repeats ${name}: each channel once`);
    }
    if (timeoutSeconds !== null && (timeoutSeconds < min || timeoutSeconds > max)) {
      return refused('invalid_argument', `cascade[${at}].timeout_seconds`, `must be ${min} to ${max}`);
    }
    legs.push({
      channel: name,
      timeoutMs: timeoutSeconds === null ? usualTimeoutMs(name, legMs(verify)) : timeoutSeconds * 1000,
    });
  }
  return { kind: 'ok', legs };
}

/**
 * The preset from the channel on, without wrapping: a client that asks for a call wants no SMS after it. Without a channel the preset
 * as it is, because an account that put the app first meant it.
 */
function from(channel: Channel | null, preset: readonly Leg[], verify: LegSettings): Leg[] {
  if (channel === null) return [...preset];
  const at = preset.findIndex((leg) => leg.channel === channel);
  return at < 0 ? [{ channel, timeoutMs: usualTimeoutMs(channel, legMs(verify)) }] : preset.slice(at);
}

const toLeg = ({ channel, timeoutSeconds }: { channel: Channel; timeoutSeconds: number }): Leg => ({
  channel,
  timeoutMs: timeoutSeconds * 1000,
});
