// The OpenAPI document of one deployment: the generated one, which has the widest bounds of the contract, with the addresses, bounds and
// defaults that hold here.

import { usualTimeoutMs } from '../../core/verify/open.ts';
import { legMs } from '../../core/verify/rules.ts';
import type { Channel } from '../../core/verify/session.ts';
import { channelValues } from '../../gen/values.ts';
import type { OpenApi } from './schema.ts';

export interface Deployment {
  /** Where clients find the service, without a slash at its end. */
  url: string;
  /** By the names that the rules of fields call settings. One that is not here leaves the contract's bounds. */
  settings: Readonly<Record<string, Bounds>>;
}

/** Values of a field, both ends included. */
export interface Bounds {
  min: number;
  max: number;
  /** The value that holds where the field is absent: one for all channels, or one for each. */
  default: number | Readonly<Record<Channel, number>>;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The settings of a deployment that bound a field of the contract. */
export interface BoundingSettings {
  readonly codeLength: Range & { readonly default: number };
  readonly ttlSeconds: Range & { readonly default: number };
  readonly timeoutSeconds: Range;
}

export function settingsOf(verify: BoundingSettings): Deployment['settings'] {
  const timeoutOf = (channel: Channel) => usualTimeoutMs(channel, legMs(verify)) / 1000;
  const timeouts = Object.fromEntries(channelValues.map((channel) => [channel, timeoutOf(channel)]));
  return {
    'verify.code_length': verify.codeLength,
    'verify.ttl_seconds': verify.ttlSeconds,
    'verify.timeout_seconds': { ...verify.timeoutSeconds, default: timeouts as Record<Channel, number> },
  };
}

/** Pure: leaves the generated document as it is. */
export function documentOf(generated: OpenApi, { url, settings }: Deployment): OpenApi {
  return {
    ...(bounded(generated, settings) as OpenApi),
    servers: [
      { url: '/', description: 'The service that this document is from' },
      { url, description: 'The same by its full address' },
    ],
  };
}

function bounded(node: unknown, settings: Deployment['settings']): unknown {
  if (Array.isArray(node)) return node.map((each) => bounded(each, settings));
  if (node === null || typeof node !== 'object') return node;
  const { 'x-setting': setting, ...rest } = node as Record<string, unknown>;
  const here = typeof setting === 'string' ? settings[setting] : undefined;
  if (here) return { ...rest, minimum: here.min, maximum: here.max, 'x-default': here.default };
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, bounded(value, settings)]));
}
