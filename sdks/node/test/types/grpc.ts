// The optional part, for whoever has the peer dependencies; and what needs types of Node and the DOM together.
import type { IncomingHttpHeaders } from 'node:http';
import { type WebhookEvent, webhooks } from '@ramz/sdk';
import { GrpcRamz } from '@ramz/sdk/grpc';
import { type SendResponse, services, VerifyService } from '@ramz/sdk/proto';

export async function overGrpc(): Promise<string> {
  const ramz = new GrpcRamz({ baseUrl: 'http://localhost:50051', nodeOptions: { rejectUnauthorized: true } });
  const { id } = await ramz.verify.send({ to: '+213550000001' });
  ramz.close();
  return id + services.length + VerifyService.typeName;
}
export const seconds = (answer: SendResponse): bigint | undefined => answer.createdAt?.seconds;

export const hook = (body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> =>
  webhooks.verify(body, headers, 'whsec_a');
