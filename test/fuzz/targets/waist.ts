// The waist with every service of the contract, whose handlers do all that needs no database: they settle what was asked, read
// tokens and addresses, and answer with an empty message.
import { create, type DescService, type Message } from '@bufbuild/protobuf';
import { readPage } from '../../../src/api/handlers/fields.ts';
import { toAsked } from '../../../src/api/handlers/verify/send.ts';
import { toError } from '../../../src/api/waist/errors.ts';
import { createWaist, type RegisteredService, type Waist } from '../../../src/api/waist/invoke.ts';
import { normaliseCode } from '../../../src/core/verify/code.ts';
import { settle } from '../../../src/core/verify/request.ts';
import { smsText } from '../../../src/core/verify/text.ts';
import { checkUrl } from '../../../src/engine/webhooks/target.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { type SendRequest, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { WebhookEndpointService } from '../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { adminScopeValues, scopeValues } from '../../../src/gen/values.ts';
import { hold } from '../target.ts';
import { settings } from './operator.ts';

/** Every site and every app is approved: what is made of them is looked at here. */
class AllApproved extends Map<string, 'approved'> {
  override get(): 'approved' {
    return 'approved';
  }
}

const account = {
  language: 'fr' as const,
  cascade: null,
  approvedSenders: new Map(),
  autofill: new AllApproved(),
  wording: { brand: null, texts: new Map() },
};

function send(request: SendRequest): void {
  const settled = settle(toAsked(request, { accountId: 'acct_1', keyId: 'key_1', mode: 'live' }), account, settings);
  if (settled.kind === 'refused') throw toError(settled);
  const { language, autofill, codeLength } = settled.request;
  const text = smsText({ language, autofill, code: '1'.repeat(codeLength), brand: 'Ramz' });
  hold(text.kind === 'ok' && text.parts === 1, 'a send without a text was let through');
}

interface Fields {
  code?: string;
  url?: string;
  pageToken?: string;
  pageSize?: number;
}

function read(request: Fields): void {
  if (request.code) normaliseCode(request.code, 6);
  if (request.url) checkUrl(request.url, { allowPrivate: false });
  if (request.pageToken) readPage({ pageSize: request.pageSize, pageToken: request.pageToken }, 'vrf_', ['acct_1']);
}

async function* only(message: Message): AsyncIterable<Message> {
  yield message;
}

function registered(service: DescService): RegisteredService {
  const handlers = service.methods.map((method) => [
    method.localName,
    (request: unknown) => {
      if (method === VerifyService.method.send) send(request as SendRequest);
      read(request as Fields);
      const answer = create(method.output);
      return method.methodKind === 'server_streaming' ? only(answer) : answer;
    },
  ]);
  return { service, implementation: Object.fromEntries(handlers) };
}

const nothing = () => {};

export function openWaist(): Waist {
  const services = [VerifyService, AccountService, ApiKeyService, SenderIdService, WebhookEndpointService];
  return createWaist({
    services: services.map(registered),
    authenticator: {
      authenticate: () => ({
        kind: 'ok',
        principal: {
          kind: 'key',
          accountId: 'acct_1',
          mode: 'live',
          keyId: 'key_1',
          name: 'one',
          scopes: scopeValues,
          expiresAt: null,
        },
      }),
      administrator: () => ({
        kind: 'ok',
        principal: { kind: 'administrator', id: 'adm_1', name: 'Amina', scopes: adminScopeValues, expiresAt: null },
      }),
    },
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
}
