// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import type { DescService } from '@bufbuild/protobuf';
import { VerifyService } from '../proto/ramz/v1/verify_pb.ts';
import { AccountService } from '../proto/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../proto/ramz/v1/api_key_pb.ts';
import { SenderIdService } from '../proto/ramz/v1/sender_pb.ts';
import { WabaService } from '../proto/ramz/v1/waba_pb.ts';
import { WebhookEndpointService } from '../proto/ramz/v1/webhook_endpoint_pb.ts';

export * from '../proto/ramz/v1/account_pb.ts';
export * from '../proto/ramz/v1/api_key_pb.ts';
export * from '../proto/ramz/v1/receipt_pb.ts';
export * from '../proto/ramz/v1/sender_pb.ts';
export * from '../proto/ramz/v1/session_pb.ts';
export * from '../proto/ramz/v1/verify_pb.ts';
export * from '../proto/ramz/v1/waba_pb.ts';
export * from '../proto/ramz/v1/webhook_endpoint_pb.ts';
export * from '../proto/ramz/v1/webhook_pb.ts';

/** Every service of the contract. */
export const services: readonly DescService[] = [
  VerifyService,
  AccountService,
  ApiKeyService,
  SenderIdService,
  WabaService,
  WebhookEndpointService,
];
