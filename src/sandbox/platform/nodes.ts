// What can be asked of the objects of the graph: business accounts, phone numbers, templates.

import type { Response } from '../http/server.ts';
import { type Accounts, type PhoneNumber, shownPhone, type Waba } from './accounts.ts';
import { type GraphCall, missing, success, textParam } from './call.ts';
import { graphError } from './errors.ts';
import type { Messages } from './messages.ts';
import { deregister, register } from './registration.ts';
import type { Subscriptions } from './subscriptions.ts';
import { readTemplate, templateExists } from './template-schema.ts';
import { shown, type Template, type Templates } from './templates.ts';

export interface NodeContext {
  accounts: Accounts;
  templates: Templates;
  subscriptions: Subscriptions;
  messages: Messages;
}

/** Null: this object has no such edge, or not with this method. */
type Answer = Response | Promise<Response> | null;

export function ofWaba(waba: Waba, call: GraphCall, context: NodeContext): Answer {
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

export function ofPhone(phone: PhoneNumber, call: GraphCall, context: NodeContext): Answer {
  if (call.edge === null) return call.method === 'GET' ? { status: 200, body: shownPhone(phone) } : null;
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

export function ofTemplate(template: Template, call: GraphCall): Answer {
  return call.edge === null && call.method === 'GET' ? { status: 200, body: shown(template) } : null;
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
