// Examples of whole messages, put together from the examples of their fields. Where those contradict each other in one
// message (a reason beside a good status), the tables below say what stands.

import { type DescField, type DescMessage, type DescMethod, ScalarType } from '@bufbuild/protobuf';
import { type Contract, type EventType, isSecret } from './contract.ts';
import type { Json, JsonObject } from './schema.ts';

export interface Examples {
  /** `minimal` has what must be given, `full` everything that goes together. */
  request(message: DescMessage, without: ReadonlySet<string>): JsonObject;
  /** Complete. With the method that answers it: secrets are in the answers that make them only. */
  answer(message: DescMessage, method?: DescMethod): JsonObject;
  /** A webhook event as a whole. */
  event(type: EventType): JsonObject;
}

const verifiedSession = {
  status: 'verified',
  status_reason: '',
  attempts_remaining: 4,
  autofill: null,
  resend_after: null,
};

/** By message: fields whose own example does not go with the rest. `null` leaves the field out. */
const inAnswers: Readonly<Record<string, JsonObject>> = {
  Session: verifiedSession,
  SessionSummary: verifiedSession,
  Message: { reason: '' },
  Receipt: { provider_status: '' },
  TimelineEntry: { at: '2026-03-01T10:15:30.120Z', kind: 'message_submitted', reason: '', detail: '' },
  ApiKey: { revoked_at: null },
  WebhookEndpoint: { failing_since: null, previous_secret_expires_at: null },
};

const inEvents: Readonly<Record<string, JsonObject>> = {
  'waba.connected': { reason: '' },
};

const inRequests: Readonly<Record<string, JsonObject>> = {
  // Each channel once; the first is what `channel` says.
  SendRequest: { cascade: [{ channel: 'sms', timeout_seconds: 15 }, { channel: 'whatsapp' }] },
  UpdateAccountRequest: { cascade: [{ channel: 'sms', timeout_seconds: 15 }, { channel: 'whatsapp' }] },
};

/**
 * Messages with a way of their own to fill them: short and long form leave out what belongs to it, and it has an example
 * under its name. A signup's state is used up by one call, so no example of it can be sent.
 */
const otherWays: Readonly<Record<string, { name: string; summary: string; fields: string[]; not: string[] }>> = {
  ConnectWabaRequest: {
    name: 'signup',
    summary: 'With what an embedded signup gave',
    fields: ['code', 'state'],
    not: ['access_token'],
  },
};

const makesSecret = /^(Create|Rotate)/;

export function createExamples(contract: Contract): Examples {
  const fieldValue = (field: DescField, ofMessage: (message: DescMessage) => JsonObject): Json | undefined => {
    const text = contract.rules(field)?.example ?? '';
    const inner = field.message;
    if (inner?.typeName.startsWith('ramz.')) return field.fieldKind === 'list' ? [ofMessage(inner)] : ofMessage(inner);
    if (field.fieldKind === 'list') return text === '' ? [] : (JSON.parse(text) as Json);
    if (field.fieldKind === 'map') return text === '' ? {} : (JSON.parse(text) as Json);
    if (inner) return text === '' ? undefined : text;
    if (field.scalar === ScalarType.STRING) return text;
    return text === '' ? undefined : (JSON.parse(text) as Json);
  };

  const compose = (
    fields: readonly DescField[],
    own: JsonObject,
    ofMessage: (message: DescMessage) => JsonObject,
  ): JsonObject => {
    // Of a oneof one field is there: the first of those that are asked for.
    const shown = fields.filter((field) => !field.oneof || field === fields.find(({ oneof }) => oneof === field.oneof));
    const pairs = shown.map((field): [string, Json | undefined] => [
      field.name,
      field.name in own ? own[field.name] : fieldValue(field, ofMessage),
    ]);
    return Object.fromEntries(
      pairs.filter((pair): pair is [string, Json] => pair[1] !== undefined && pair[1] !== null),
    );
  };

  const answer = (message: DescMessage, method?: DescMethod): JsonObject => {
    const hidden = makesSecret.test(method?.name ?? '') ? [] : message.fields.filter(isSecret);
    const own = { ...inAnswers[message.name], ...Object.fromEntries(hidden.map(({ name }) => [name, ''])) };
    return compose(message.fields, own, (inner) => answer(inner, method));
  };

  const inWebhook = (message: DescMessage): JsonObject => {
    const fields = message.fields.filter((field) => !contract.rules(field)?.leftOutOfWebhooks);
    return compose(fields, inAnswers[message.name] ?? {}, inWebhook);
  };

  const whole = (message: DescMessage, left: ReadonlySet<string>): JsonObject => {
    const fields = message.fields.filter(({ name }) => !left.has(name));
    const inner = (each: DescMessage) => whole(each, alternatives(contract, each, 0));
    const composed = compose(fields, inRequests[message.name] ?? {}, inner);
    // An empty text says nothing, and may break a rule.
    return Object.fromEntries(Object.entries(composed).filter(([, value]) => value !== ''));
  };

  return {
    answer,
    event: ({ name, data }) => ({
      ...compose(contract.envelope().fields, { type: name }, answer),
      data: { ...inWebhook(contract.message(data)), ...inEvents[name] },
    }),
    request: (message, without) => {
      const exactly = contract.groups(message).find(({ required }) => required);
      const other = otherWays[message.name];
      const needed = new Set([
        ...message.fields.filter((field) => contract.rules(field)?.required).map(({ name }) => name),
        ...(exactly?.fields ?? []),
      ]);
      // Where there is a choice, the short form shows the first way and the long one the last.
      const left = (index: 0 | -1) => other?.fields ?? alternatives(contract, message, index);
      const first = whole(message, new Set([...without, ...left(0)]));
      const minimal = Object.fromEntries(Object.entries(first).filter(([name]) => needed.has(name)));
      const full = whole(message, new Set([...without, ...left(-1)]));
      const isSame = JSON.stringify(minimal) === JSON.stringify(full);
      const hasMinimal = Object.keys(minimal).length > 0;
      return {
        ...(hasMinimal ? { minimal: { summary: 'What must be given', value: minimal } } : {}),
        ...(isSame && hasMinimal ? {} : { full: { summary: 'What can be given', value: full } }),
        ...(other ? { [other.name]: { summary: other.summary, value: whole(message, new Set(other.not)) } } : {}),
      };
    },
  };
}

/** Fields that exclude each other, but for one of each group: the one at `index` where one must be given, else the first. */
function alternatives(contract: Contract, message: DescMessage, index: 0 | -1): ReadonlySet<string> {
  const left = contract.groups(message).flatMap(({ fields, required }) => {
    const kept = fields.at(required ? index : 0);
    return fields.filter((name) => name !== kept);
  });
  return new Set(left);
}
