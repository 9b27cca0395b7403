// Which connections answer what: a send and a check are stored by the lanes' connections, and no call that only reads takes one of them.

import { create, type DescMethod, type DescMethodUnary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Level } from '@bufbuild/protobuf/wkt';
import { afterAll, expect, test, vi } from 'vitest';
import { LanesPool } from '../../src/db/client.ts';
import { AccountService } from '../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../src/gen/ramz/v1/api_key_pb.ts';
import { SenderIdService } from '../../src/gen/ramz/v1/sender_pb.ts';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { WabaService } from '../../src/gen/ramz/v1/waba_pb.ts';
import { WebhookEndpointService } from '../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { callers } from '../support/doors.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const used: string[] = [];
const query = LanesPool.prototype.query;
vi.spyOn(LanesPool.prototype, 'query').mockImplementation(function (this: LanesPool, ...args: unknown[]) {
  used.push((args[0] as { name?: string }).name ?? '');
  return Reflect.apply(query, this, args);
} as never);
const server = await service.startHere();
const [rest, ...others] = callers(server.app);
afterAll(() => {
  for (const door of [rest, ...others]) door?.close();
});

const services = [AccountService, ApiKeyService, SenderIdService, VerifyService, WabaService, WebhookEndpointService];
const isRead = (method: DescMethod): method is DescMethodUnary =>
  method.methodKind === 'unary' && method.proto.options?.idempotencyLevel === Level.NO_SIDE_EFFECTS;
const reads = services.flatMap((each): DescMethodUnary[] => each.methods.filter(isRead));

/** What process, sessions and webhooks do by themselves, whether or not anybody calls. */
const byThemselves =
  /^(pulse|sweep|webhook|park|process|projection|first_sends|routes|recovery|slots|save|shards|references|endpoint\.load|partitions$|clock$|replication$)/;

test('the reads of the contract, one after another', async () => {
  const { id } = await server.live.send('+213551560001');
  expect(await server.live.check(id, await service.sandbox.codeTo('+213551560001'))).toMatchObject({ valid: true });
  expect(used).toEqual(expect.arrayContaining(['open', expect.stringMatching(/^save /)]));
  await service.sandbox.eventsOf(id, 3);

  const headers = { authorization: `Bearer ${service.liveKey}` };
  const listed = await server.live.call<{ webhook_endpoints: { id: string }[] }>('GET', '/v1/webhook_endpoints');
  const [endpoint] = listed.body.webhook_endpoints;
  expect(reads.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'GetSession',
      'ListSessions',
      'ListWebhookDeliveries',
      'ListWebhookEndpoints',
      'GetAccount',
    ]),
  );
  for (const method of reads) {
    const own = method.parent.typeName === VerifyService.typeName ? id : endpoint?.id;
    const fields = method.input.field.id ? { id: own } : {};
    used.length = 0;
    const outcome = await rest?.call(method, create(method.input, fields as never), headers);
    if (outcome?.kind === 'error') expect(outcome.code, method.name).toMatch(/_not_found$/);
    expect(
      used.filter((name) => !byThemselves.test(name)),
      method.name,
    ).toEqual([]);
  }
});
