// HOST=:: as docs/configuration.md has it: one address for callers by IPv4 and by IPv6, at both ports. The log has each as it is counted.
import { networkInterfaces } from 'node:os';
import { create } from '@bufbuild/protobuf';
import { afterAll, expect, test } from 'vitest';
import { GetSessionRequestSchema, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { native, rest } from '../../support/doors.ts';
import { newSeen, startFake } from './fake.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));

test.skipIf(!hasIpv6)('the address :: takes callers by IPv4 and by IPv6', async () => {
  const seen = newSeen();
  const everywhere = { host: '::', port: 0 };
  const { httpPort, grpcPort, close } = await startFake(seen, { http: everywhere, grpc: everywhere });
  const callers = ['127.0.0.1', '[::1]'].flatMap((host) => [
    rest(`http://${host}:${httpPort}`),
    native(`${host}:${grpcPort}`),
  ]);
  afterAll(async () => {
    for (const caller of callers) caller.close();
    await close(1_000);
  });
  const input = create(GetSessionRequestSchema, { id: 'vrf_1' });
  const outcomes: string[] = [];
  for (const { call } of callers)
    outcomes.push((await call(VerifyService.method.getSession, input, { authorization: 'Bearer all' })).kind);
  expect(outcomes).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(seen.lines.map((line) => (line as { client: string }).client)).toEqual([
    '127.0.0.1',
    '127.0.0.1',
    '::1',
    '::1',
  ]);
});
