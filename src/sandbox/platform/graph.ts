// The Graph API: which call goes where, and who may make it.

import type { Request, Response } from '../http/server.ts';
import { mayUse, type Token } from './accounts.ts';
import { type GraphCall, readCall } from './call.ts';
import type { Codes } from './codes.ts';
import { graphError, noSuchObject } from './errors.ts';
import type { PlatformFaults } from './faults.ts';
import type { PlatformIdentity } from './identity.ts';
import { type NodeContext, ofPhone, ofTemplate, ofWaba } from './nodes.ts';
import { debugToken, exchangeCode } from './oauth.ts';

export interface GraphContext extends NodeContext {
  identity: PlatformIdentity;
  codes: Codes;
  faults: PlatformFaults;
}

/** `path`: behind `/graph`. */
export async function graph(request: Request, path: string, context: GraphContext): Promise<Response> {
  const read = readCall(request, path, context.identity.version);
  if (read.kind === 'refused') return read.answer;
  const { call } = read;
  const fault = context.faults.takeCall(namedNodes.includes(call.node) ? call.node : (call.edge ?? ''));
  if (fault?.kind === 'error') return graphError(fault.code, { subcode: fault.subcode });
  const answer = await answerTo(call, context);
  return fault?.kind === 'lost' ? { ...answer, cut: true } : answer;
}

/** Nodes that are no objects: a fault is ordered by their name, else by the edge's. */
const namedNodes = ['oauth', 'debug_token'];

async function answerTo(call: GraphCall, context: GraphContext): Promise<Response> {
  if (call.node === 'oauth' && call.edge === 'access_token') return exchangeCode(call, context);
  if (call.node === context.identity.appId && call.edge === 'subscriptions') return context.subscriptions.ofApp(call);

  // Of an app's own token: `app id|app secret`.
  const { appId, appSecret } = context.identity;
  if (call.node === 'debug_token' && call.token === `${appId}|${appSecret}`) {
    return debugToken(call, context.identity, context.accounts);
  }

  const auth = authenticate(call, context);
  if (auth.kind === 'refused') return auth.answer;
  if (call.node === 'debug_token') return debugToken(call, context.identity, context.accounts);
  return (await ofNode(call, auth.token, context)) ?? noSuchObject(call.node, call.method);
}

type Auth = { kind: 'ok'; token: Token } | { kind: 'refused'; answer: Response };

function authenticate({ token: given }: GraphCall, { accounts }: GraphContext): Auth {
  const refused = (detail: { message: string; subcode?: number }): Auth => ({
    kind: 'refused',
    answer: graphError(190, detail),
  });
  if (given === null) return refused({ message: 'An access token is required to request this resource.' });
  const token = accounts.tokens.get(given);
  if (!token) return refused({ message: 'Invalid OAuth access token - Cannot parse access token' });
  if (token.revoked) return refused({ message: 'Error validating access token: it was invalidated.', subcode: 460 });
  return { kind: 'ok', token };
}

/** Null: there is no such object, or no such edge of it. */
function ofNode(call: GraphCall, token: Token, context: GraphContext): Response | Promise<Response> | null {
  const { accounts, templates } = context;
  const phone = accounts.phones.get(call.node);
  const template = templates.byId(call.node);
  const waba = accounts.wabas.get(phone?.wabaId ?? template?.wabaId ?? call.node);
  if (!waba) return null;
  if (!mayUse(token, waba.id)) {
    const message = '(#200) You do not have the permissions this WhatsApp Business Account asks for.';
    return graphError(200, { message });
  }
  if (phone) return ofPhone(phone, call, context);
  return template ? ofTemplate(template, call) : ofWaba(waba, call, context);
}
