// A SendRequest of the wire as plain values: what is absent or empty there is null here.

import type { AskedLeg } from '../../../core/verify/legs.ts';
import type { AskedSend } from '../../../core/verify/request.ts';
import type { Channel, Language, Mode } from '../../../core/verify/session.ts';
import type { CascadeLeg } from '../../../gen/ramz/v1/session_pb.ts';
import type { SendRequest } from '../../../gen/ramz/v1/verify_pb.ts';

export function toAsked(request: SendRequest, caller: { accountId: string; mode: Mode }): AskedSend {
  const { androidAppHash, webOrigin } = request.autofill ?? {};
  return {
    accountId: caller.accountId,
    mode: caller.mode,
    to: request.to,
    purpose: request.purpose,
    language: (request.language || null) as Language | null,
    codeLength: request.codeLength ?? null,
    ttlSeconds: request.ttlSeconds ?? null,
    senderId: request.senderId || null,
    clientReference: request.clientReference,
    autofill: { ...(androidAppHash ? { androidAppHash } : {}), ...(webOrigin ? { webOrigin } : {}) },
    channel: (request.channel || null) as Channel | null,
    cascade: request.cascade.map(toAskedLeg),
  };
}

/** The channel is one of the value set: the waist has seen to it. */
export const toAskedLeg = ({ channel, timeoutSeconds }: CascadeLeg): AskedLeg => ({
  channel: channel as Channel,
  timeoutSeconds: timeoutSeconds ?? null,
});
