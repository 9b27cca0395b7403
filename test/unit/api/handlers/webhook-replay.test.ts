// The token of a replay: an account can compute one of its own, so its beginning is looked at like any other input.
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { writePageToken } from '../../../../src/api/handlers/fields.ts';
import { replayWebhooks } from '../../../../src/api/handlers/webhooks/replay.ts';
import { faultOf } from '../../../../src/api/waist/errors.ts';
import { newId } from '../../../../src/core/ids.ts';
import {
  ReplayWebhooksRequestSchema,
  WebhookEndpointService,
} from '../../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { callOf } from './call.ts';

const made = { nowMs: 1_800_000_000_000, shard: 5, random: new Uint8Array(10).fill(9) };
const [endpoint, event] = [newId('whe_', made), newId('evt_', made)];
const replay = replayWebhooks({ replay: async () => ({ kind: 'queued', count: 7, next: null }) } as never);

function call(startedAt: number) {
  const binding = ['webhook_replay', 'acct_1', 'live', endpoint, null, null, '', startedAt].map(String);
  const replayToken = `${startedAt}.${writePageToken(event, binding)}`;
  const context = callOf(WebhookEndpointService.method.replayWebhooks);
  return replay(create(ReplayWebhooksRequestSchema, { id: endpoint, replayToken }), context);
}

test('a replay goes on from a token of its own', async () => {
  expect(await call(made.nowMs)).toEqual({ queued: 7, replayToken: '' });
});

test.each([1e30, Number.NaN, -1])('a token that says the replay began at %s is refused', async (startedAt) => {
  const refused = await call(startedAt).catch(faultOf);
  expect(refused).toMatchObject({ code: 'invalid_page_token', field: 'replay_token' });
});
