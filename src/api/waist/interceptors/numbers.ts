// Phone numbers in responses to a key without the scope `numbers`: a field that is a number is masked (`+2135*****01`), one that may contain
// a number is emptied. The contract marks both kinds of field, so that no handler has to think of it.

import { clone, type DescMessage, type Message } from '@bufbuild/protobuf';
import type { Interceptor } from '@connectrpc/connect';
import { maskPhone } from '../../../core/phone.ts';
import { contextKeys, seesNumbers } from '../context.ts';
import { fieldRules } from '../method-options.ts';

/** Comes after the authorisation. */
export function hideNumbers(): Interceptor {
  return (next) => (request) =>
    seesNumbers(request.contextValues.get(contextKeys.principal)) ? next(request) : hidden(next(request));
}

type Response = Awaited<ReturnType<Parameters<Interceptor>[0]>>;

async function hidden(answered: Promise<Response>): Promise<Response> {
  const response = await answered;
  const { output } = response.method;
  if (!response.stream) return { ...response, message: withoutNumbers(output, response.message) };
  return { ...response, message: each(output, response.message) };
}

async function* each<M extends Message>(desc: DescMessage, messages: AsyncIterable<M>): AsyncGenerator<M> {
  for await (const message of messages) yield withoutNumbers(desc, message);
}

/** A copy: what a handler returned may be in other hands, too. */
export function withoutNumbers<M extends Message>(desc: DescMessage, message: M): M {
  const copy = clone(desc, message);
  hide(desc, copy);
  return copy as M;
}

type Values = Record<string, unknown>;

function hide(desc: DescMessage, message: Message): void {
  const all = message as unknown as Values;
  for (const field of desc.fields) {
    // A oneof is one property of the message, whichever of its fields is given.
    const values = field.oneof ? (all[field.oneof.localName] as Values) : all;
    if (field.oneof && values.case !== field.localName) continue;
    const name = field.oneof ? 'value' : field.localName;
    if (field.message) for (const inner of messagesOf(values[name])) hide(field.message, inner);
    const rules = fieldRules(field);
    if (rules?.phoneNumber) values[name] = maskPhone(String(values[name]));
    if (rules?.containsNumber) values[name] = '';
  }
}

const messagesOf = (value: unknown): Message[] =>
  Array.isArray(value) ? (value as Message[]) : value === undefined ? [] : [value as Message];
