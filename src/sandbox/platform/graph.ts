// The Graph API's objects: which call goes to which object, who may make it, and what business accounts, phone numbers and
// templates answer. One switch per object, so that an edge that is not documented is not there.

import type { Request, Response } from '../http/server.ts';
import {
  type Accounts,
  mayUse,
  type PhoneNumber,
  type PlatformIdentity,
  shownHealth,
  shownPhone,
  type Token,
  type Waba,
} from './accounts.ts';
import { type GraphCall, graphError, missing, noSuchObject, readCall, success, textParam } from './call.ts';
import type { PlatformFaults } from './faults.ts';
import type { Messages } from './messages.ts';
import { type Codes, debugToken, exchangeCode } from './oauth.ts';
import type { Subscriptions } from './subscriptions.ts';
import { readTemplate, shown, type Template, type Templates, templateExists } from './templates.ts';

export interface GraphContext extends NodeContext {
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

/** Nodes that are no objects: a fault is ordered by their name, and for any other node by the edge's. */
const namedNodes = ['oauth', 'debug_token'];

async function answerTo(call: GraphCall, context: GraphContext): Promise<Response> {
  if (call.node === 'oauth' && call.edge === 'access_token') return exchangeCode(call, context);
  if (call.node === context.identity.appId && call.edge === 'subscriptions') return context.subscriptions.ofApp(call);

  // An app's own token is `app id|app secret`.
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

/** Null where there is no such object, or no such edge of it. */
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

interface NodeContext {
  identity: PlatformIdentity;
  accounts: Accounts;
  templates: Templates;
  subscriptions: Subscriptions;
  messages: Messages;
}

/** Null where this object has no such edge, or not with this method. */
type Answer = Response | Promise<Response> | null;

function ofWaba(waba: Waba, call: GraphCall, context: NodeContext): Answer {
  switch (call.edge) {
    case null:
      if (call.method !== 'GET') return null;
      return { status: 200, body: { id: waba.id, name: waba.name, owner_business_info: { id: waba.businessId } } };
    case 'phone_numbers':
      if (call.method !== 'GET') return null;
      return list(context.accounts.phonesOf(waba.id).map(shownPhone), call);
    case 'subscribed_apps':
      return ['GET', 'POST', 'DELETE'].includes(call.method) ? context.subscriptions.ofWaba(waba, call) : null;
    case 'message_templates':
      return templatesOf(waba, call, context.templates);
    default:
      return null;
  }
}

function ofPhone(phone: PhoneNumber, call: GraphCall, context: NodeContext): Answer {
  if (call.edge === null) return call.method === 'GET' ? { status: 200, body: askedOf(phone, call, context) } : null;
  if (call.method !== 'POST') return null;
  switch (call.edge) {
    case 'messages':
      return context.messages.send(phone, call);
    case 'register':
      return register(phone, call);
    case 'deregister':
      return deregister(phone);
    default:
      return null;
  }
}

/** The fields that are asked for, and the id; all that are shown unasked where none is. */
function askedOf(phone: PhoneNumber, call: GraphCall, { accounts, identity }: NodeContext): Record<string, unknown> {
  const waba = accounts.wabas.get(phone.wabaId);
  const fields = textParam(call, 'fields')?.split(',');
  const all = { ...shownPhone(phone), ...(waba ? shownHealth(phone, waba, identity.appId) : {}) };
  if (!fields) return shownPhone(phone);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === 'id' || fields.includes(name)));
}

function ofTemplate(template: Template, call: GraphCall): Answer {
  if (call.edge !== null) return null;
  if (call.method === 'GET') return { status: 200, body: shown(template) };
  if (call.method !== 'POST') return null;
  const ttl = call.params.message_send_ttl_seconds;
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < 30 || ttl > 900) {
    return graphError(100, { message: '(#100) Param message_send_ttl_seconds must be 30 to 900.' });
  }
  if (!['APPROVED', 'PAUSED', 'REJECTED'].includes(template.status)) {
    return graphError(100, { message: 'Invalid parameter', subcode: 2388025 });
  }
  template.ttlSeconds = ttl;
  return success;
}

function templatesOf(waba: Waba, call: GraphCall, templates: Templates): Answer {
  if (call.method === 'POST') {
    const read = readTemplate(call.params);
    if (read.kind === 'refused') return read.answer;
    const { name, language } = read.request;
    if (templates.find(waba.id, name, language)) return templateExists(language);
    const { id, status, category } = templates.create(waba.id, read.request);
    return { status: 200, body: { id, status, category } };
  }
  const name = textParam(call, 'name');
  if (call.method === 'DELETE') {
    if (name === undefined) return missing('name');
    return templates.remove(waba.id, name) ? success : graphError(100, { message: `There is no template ${name}.` });
  }
  if (call.method !== 'GET') return null;
  const [language, status] = [textParam(call, 'language'), textParam(call, 'status')];
  const wanted = templates
    .of(waba.id)
    .filter((template) => name === undefined || template.name === name)
    .filter((template) => language === undefined || template.language === language)
    .filter((template) => status === undefined || template.status === status.toUpperCase());
  return list(wanted.map(shown), call);
}

/** A page of a list, documented default 25; the cursor is the place of the last item shown. */
function list(items: readonly Record<string, unknown>[], { params }: GraphCall): Response {
  const limit = Math.min(100, Math.max(1, Number(params.limit ?? 25) || 25));
  const start = Number(Buffer.from(String(params.after ?? ''), 'base64url').toString()) || 0;
  const data = items.slice(start, start + limit);
  const cursor = (place: number) => Buffer.from(String(place)).toString('base64url');
  const paging = { cursors: { before: cursor(start), after: cursor(start + data.length) } };
  return { status: 200, body: data.length === 0 ? { data } : { data, paging } };
}

/** Documented: ten calls within 72 hours. The sandbox never forgets them. */
const MAX_REGISTRATIONS = 10;

function register(phone: PhoneNumber, { params }: GraphCall): Response {
  if (params.messaging_product === undefined) return missing('messaging_product');
  if (params.messaging_product !== 'whatsapp') {
    return graphError(100, { message: '(#100) Param messaging_product must be one of {whatsapp}.' });
  }
  const { pin } = params;
  if (pin === undefined) return missing('pin');
  if (typeof pin !== 'string' || !/^\d{6}$/.test(pin)) {
    return graphError(131009, { details: `Parameter 'pin' must be six digits as text.` });
  }
  const limited = countCall(phone);
  if (limited) return limited;
  if (!phone.verified) return graphError(133006, { details: 'The phone number must be verified before.' });
  if (phone.pin !== null && phone.pin !== pin) {
    return graphError(133005, { details: 'The PIN is not the one that was set before.' });
  }
  phone.pin = pin;
  phone.status = 'CONNECTED';
  return success;
}

/** The PIN stays: registering again needs it. */
function deregister(phone: PhoneNumber): Response {
  const limited = countCall(phone);
  if (limited) return limited;
  phone.status = 'DISCONNECTED';
  return success;
}

function countCall(phone: PhoneNumber): Response | null {
  phone.registrations += 1;
  if (phone.registrations <= MAX_REGISTRATIONS) return null;
  return graphError(133016, { details: `More than ${MAX_REGISTRATIONS} calls for this number.` });
}
