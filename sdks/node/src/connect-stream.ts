// A server stream of the Connect protocol over fetch: messages in envelopes, the last of which tells how it ended.
// https://connectrpc.com/docs/protocol

import { errorOf } from './answer.ts';
import { textOf } from './body.ts';
import { isObject, type Json } from './codec.ts';
import { connectError } from './connect-error.ts';
import { Envelopes, endOfStream, envelope } from './envelopes.ts';
import { type ApiError, NetworkError } from './errors.ts';
import { type HttpAnswer, masked, maskedHeaders } from './foreign.ts';
import { parseJson } from './json.ts';
import type { Fetch } from './options.ts';
import { uncached } from './runtime.ts';

export interface StreamCall {
  fetch: Fetch;
  url: string;
  message: Json;
  headers: Readonly<Record<string, string>>;
  /** What an error must not hold. */
  apiKey: string;
  signal: AbortSignal;
  /** Called when the response has come; its messages follow. */
  answered(response: { status: number; headers: Headers }): void;
}

/** The messages, as JSON. Throws NetworkError when the connection is lost before the service has said that it is done. */
export async function* connectMessages(call: StreamCall): AsyncGenerator<Json, void, undefined> {
  const response = await call.fetch(call.url, {
    method: 'POST',
    headers: {
      ...call.headers,
      accept: 'application/connect+json',
      'content-type': 'application/connect+json',
      'connect-protocol-version': '1',
    },
    body: envelope(JSON.stringify(call.message)),
    redirect: 'manual',
    signal: call.signal,
    ...uncached(),
  });
  const { status, headers, body } = response;
  call.answered(response);
  const isStream = headers.get('content-type')?.startsWith('application/connect+json') ?? false;
  if (status !== 200 || !isStream || !body) {
    throw refusal({ status, headers, text: await textOf(response) }, call.apiKey);
  }
  const reader = body.getReader();
  const envelopes = new Envelopes();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new NetworkError('the connection was lost in the middle of a stream');
    for (const { flags, json } of envelopes.push(value)) {
      if (flags & endOfStream) {
        if (isObject(json) && isObject(json.error)) throw connectError(json.error, metadataOf(json, headers));
        return;
      }
      if (isObject(json)) yield json;
    }
  }
}

/** What came instead of a stream: an error of Connect, of REST, or somebody else's page. */
function refusal(answer: HttpAnswer, apiKey: string): ApiError {
  const json = parseJson(masked(answer.text, apiKey));
  const isConnect = isObject(json) && typeof json.code === 'string';
  return isConnect
    ? connectError(json, maskedHeaders(answer.headers, apiKey), answer.status)
    : errorOf(answer, apiKey, json);
}

/** Trailers of Connect are in its last message. */
function metadataOf(end: Json, headers: Headers): Headers {
  const result = new Headers(headers);
  for (const [name, values] of Object.entries(isObject(end.metadata) ? end.metadata : {}))
    if (Array.isArray(values) && typeof values[0] === 'string') result.set(name, values[0]);
  return result;
}
