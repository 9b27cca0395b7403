// WebhookEndpointService.ReplayWebhooks: the events of a time once more, a bounded number a call. The token of the next call has when the
// replay began, so that what was delivered since is not taken up twice.

import type { HandlerContext } from '@connectrpc/connect';
import { isId } from '../../../core/ids.ts';
import type { Webhooks } from '../../../engine/webhooks/webhooks.ts';
import type { ReplayWebhooksRequest } from '../../../gen/ramz/v1/webhook_endpoint_pb.ts';
import { dayMs } from '../../../time/wall-clock.ts';
import { actingOwnerOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { boundOf, readPageToken, writePageToken } from '../fields.ts';
import { endpointDisabled, endpointIdPrefix, endpointNotFound } from './deliveries.ts';

export const replayWebhooks =
  (deliveries: Webhooks['deliveries']) => async (request: ReplayWebhooksRequest, context: HandlerContext) => {
    const { id, eventTypes, status, replayToken } = request;
    if (!isId(endpointIdPrefix, id)) throw endpointNotFound();
    const owner = actingOwnerOf(context);
    const [started, pageToken = ''] = replayToken.split('.');
    const startedAt = replayToken === '' ? Date.now() : Number(started);
    const [since, until] = [boundOf(request.since), boundOf(request.until)];
    const binding = ['webhook_replay', owner.accountId, owner.mode, id, since, until, status, startedAt, ...eventTypes];
    const list = binding.map(String);
    const after = replayToken === '' ? null : readPageToken(pageToken, 'evt_', list);
    // Anyone can compute a token, so the time in it may be no time.
    if (replayToken !== '' && (after === null || !(Number.isSafeInteger(startedAt) && startedAt >= 0))) {
      throw fail('invalid_page_token', 'replay_token is not one of this replay', { field: 'replay_token' });
    }
    const end = until ?? startedAt;
    const span = { since: since ?? end - dayMs, until: end };
    if (span.since >= span.until) throw fail('invalid_argument', 'since must be before until', { field: 'since' });
    const asked = { ...span, endpointId: id, eventTypes, status: status || null, after, startedAt };
    const outcome = await deliveries.replay(owner, asked);
    switch (outcome.kind) {
      case 'queued': {
        const { count, next } = outcome;
        return { queued: count, replayToken: next === null ? '' : `${startedAt}.${writePageToken(next, list)}` };
      }
      case 'endpoint_not_found':
        throw endpointNotFound();
      case 'endpoint_disabled':
        throw endpointDisabled();
    }
  };
