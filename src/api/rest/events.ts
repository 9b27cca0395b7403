// Answers of streaming methods over REST: Server-Sent Events (WHATWG HTML, section 9.2). Each message of the stream is an event without a
// name, whose id is the message's `event_id`; the last event is named `end`, and says why where the stream ended early. A client that
// has everything gets 204, by which browsers know not to come again.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DescMethodServerStreaming, type Message, toJson } from '@bufbuild/protobuf';
import type { CallInit, Waist } from '../waist/invoke.ts';
import { errorJson, jsonOptions, writeError } from './answer.ts';

/** Between two comments, ms: proxies and clients see by them that a silent stream lives. */
export const defaultBeatMs = 15_000;

/** A client whose stream broke comes again after this, ms. */
const retryMs = 1_000;

const headers = {
  'content-type': 'text/event-stream',
  // To compress it is to hold it back: no-transform keeps proxies and middleware from it (RFC 9111 section 5.2.2.6).
  'cache-control': 'no-store, no-transform',
  // Asks nginx to pass on each event as it comes.
  'x-accel-buffering': 'no',
};

export interface Streamed {
  request: IncomingMessage;
  response: ServerResponse;
  /** Its `signal` is aborted when the response closes. */
  call: CallInit & { signal: AbortSignal };
  beatMs: number;
}

/** Resolves when the stream has ended. No faster than the client reads; one that reads nothing for two beats is cut off. */
export async function streamEvents(
  waist: Waist,
  method: DescMethodServerStreaming,
  input: Message,
  { request, response, call, beatMs }: Streamed,
): Promise<void> {
  const { origin, signal } = call;
  let beat: NodeJS.Timeout | undefined;
  let isStuck = false;
  const open = (): void => {
    if (response.headersSent) return;
    for (const [name, value] of stream.header) response.setHeader(name, value);
    response.writeHead(200, headers);
    if (request.method === 'HEAD') return void response.end();
    response.write(`retry: ${retryMs}\n\n`);
    beat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(':\n\n');
      else if (isStuck) response.destroy();
      isStuck = response.writableNeedDrain;
    }, beatMs);
  };
  const stream = waist.invokeStream(method, input, { ...call, origin: { ...origin, begun: open } });
  try {
    for await (const message of stream.messages) {
      open();
      if (response.writableEnded) return;
      if (response.write(eventOf(method, message))) continue;
      await once(response, 'drain', { signal });
      isStuck = false;
    }
    if (response.writableEnded) return;
    if (response.headersSent) response.end(endOf({}));
    else response.writeHead(204, { 'cache-control': 'no-store' }).end();
  } catch (reason) {
    if (signal.aborted || response.writableEnded) return;
    const error = waist.asError(reason, origin);
    if (response.headersSent) response.end(endOf(errorJson(error, origin.requestId)));
    else writeError(response, error, origin.requestId);
  } finally {
    clearInterval(beat);
  }
}

/** JSON has no line break of its own, so one line of data is enough. */
function eventOf({ output }: DescMethodServerStreaming, message: Message): string {
  const { eventId } = message as Message & { eventId?: string };
  const data = JSON.stringify(toJson(output, message, jsonOptions));
  return `${eventId ? `id: ${eventId}\n` : ''}data: ${data}\n\n`;
}

const endOf = (data: object): string => `event: end\ndata: ${JSON.stringify(data)}\n\n`;
