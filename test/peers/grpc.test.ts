// The gRPC door as other people's tools see it: the health probe of orchestrators, and grpcurl, which knows nothing of our
// contract but what reflection tells it.

import { expect } from 'vitest';
import { startProcess } from '../support/process.ts';
import { testService } from '../support/service.ts';
import { requireTool, toolPath } from '../support/tool.ts';

const service = await testService();
const { grpc, test: customer } = await service.startHere();
const key = `authorization: Bearer ${service.testKey}`;

const withProbe = requireTool('grpc-health-probe');
const withCurl = requireTool('grpcurl');

async function run(tool: string, ...args: string[]) {
  const started = startProcess(toolPath(tool) ?? tool, { args });
  const { code } = await started.exit();
  return { code, output: started.output() };
}

const grpcurl = (...args: string[]) => run('grpcurl', '-plaintext', ...args);
const call = (method: string, body: object, ...headers: string[]) =>
  grpcurl(...headers.flatMap((header) => ['-H', header]), '-d', JSON.stringify(body), grpc, `ramz.v1.${method}`);

/** Its own limits are a second each. */
const patient = ['-connect-timeout=20s', '-rpc-timeout=20s'];

withProbe('grpc-health-probe: serving, as a whole and each service', async () => {
  for (const name of ['', 'ramz.v1.VerifyService', 'ramz.v1.WebhookEndpointService']) {
    expect(await run('grpc-health-probe', ...patient, `-addr=${grpc}`, `-service=${name}`)).toEqual({
      code: 0,
      output: expect.stringContaining('SERVING'),
    });
  }
  const unknown = await run('grpc-health-probe', ...patient, `-addr=${grpc}`, '-service=ramz.v1.Nothing');
  expect(unknown.code).not.toBe(0);
});

withCurl('grpcurl lists and describes everything by reflection', async () => {
  const { output } = await grpcurl(grpc, 'list');
  expect(output.trim().split('\n')).toEqual(
    expect.arrayContaining([
      'grpc.health.v1.Health',
      'ramz.v1.AccountService',
      'ramz.v1.ApiKeyService',
      'ramz.v1.SenderIdService',
      'ramz.v1.VerifyService',
      'ramz.v1.WebhookEndpointService',
    ]),
  );
  const methods = await grpcurl(grpc, 'list', 'ramz.v1.VerifyService');
  expect(methods.output).toMatch(/VerifyService\.Send\n/);
  const described = await grpcurl(grpc, 'describe', 'ramz.v1.SendRequest');
  expect(described.output).toMatch(
    /message SendRequest \{[\s\S]*string to = 1[\s\S]*repeated \.ramz\.v1\.CascadeLeg cascade = 7/,
  );
  const offered = await grpcurl(grpc, 'describe', 'ramz.v1.VerifyService');
  expect(offered.output).toMatch(/rpc WatchSession \( \.ramz\.v1\.WatchSessionRequest \) returns \( stream/);
});

withCurl('grpcurl describes and asks health by reflection', async () => {
  const described = await grpcurl(grpc, 'describe', 'grpc.health.v1.Health');
  expect(described).toEqual({
    code: 0,
    output: expect.stringMatching(/rpc Watch \( .grpc.health.v1.HealthCheckRequest \)/),
  });
  const listed = await grpcurl(grpc, 'describe', 'grpc.health.v1.HealthListResponse');
  expect(listed.output).toContain('map<string, .grpc.health.v1.HealthCheckResponse> statuses = 1;');
  const whole = await grpcurl(grpc, 'grpc.health.v1.Health/Check');
  expect(whole.code).toBe(0);
  expect(JSON.parse(whole.output)).toEqual({ status: 'SERVING' });
  const one = await grpcurl('-d', '{"service":"ramz.v1.VerifyService"}', grpc, 'grpc.health.v1.Health/Check');
  expect(JSON.parse(one.output)).toEqual({ status: 'SERVING' });
  const all = JSON.parse((await grpcurl(grpc, 'grpc.health.v1.Health/List')).output);
  expect(all.statuses).toMatchObject({ '': { status: 'SERVING' }, 'ramz.v1.VerifyService': { status: 'SERVING' } });
});

withCurl('grpcurl sends, reads and checks', async () => {
  const to = '+213663000001';
  const sent = JSON.parse((await call('VerifyService/Send', { to }, key)).output);
  expect(sent).toMatchObject({ to, status: 'pending', test: true });
  await customer.sessionWhen(sent.id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
  const got = JSON.parse((await call('VerifyService/GetSession', { id: sent.id }, key)).output);
  expect(got.session).toMatchObject({ id: sent.id, delivery: 'delivered' });
  const checked = await call('VerifyService/Check', { id: sent.id, code: '000000' }, key);
  expect(JSON.parse(checked.output)).toMatchObject({ valid: true, status: 'verified' });
  const watched = await call('VerifyService/WatchSession', { id: sent.id }, key);
  expect(JSON.parse(watched.output)).toMatchObject({ session: { status: 'verified' } });
});

withCurl('grpcurl reads errors with their details', async () => {
  const refused = await call('VerifyService/Send', { to: '12' }, key);
  expect(refused.code).not.toBe(0);
  expect(refused.output).toMatch(/Code: InvalidArgument/);
  expect(refused.output).toMatch(/"reason": "invalid_phone_number"/);
  expect(refused.output).toMatch(/"field": "to"/);
  expect(refused.output).toMatch(/"requestId": "req_/);
  const stranger = await call('VerifyService/Send', { to: '+213663000002' });
  expect(stranger.output).toMatch(/Code: Unauthenticated[\s\S]*"reason": "missing_api_key"/);
});
