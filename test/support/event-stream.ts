// Server-Sent Events as a client reads them: WHATWG HTML, section 9.2.6, "Interpreting an event stream".

export interface ReadEvent {
  /** `message` where the stream names none. */
  type: string;
  data: string;
  lastEventId: string;
}

/** Lines that are no event: `onComment` is called with each comment, `onRetry` with each reconnection time, ms. */
export interface StreamNotes {
  onComment?(text: string): void;
  onRetry?(ms: number): void;
}

/** The events of a body as they come. An event that the body ends in is dropped, as the specification wants it. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array> | null,
  { onComment, onRetry }: StreamNotes = {},
): AsyncGenerator<ReadEvent> {
  let type = '';
  let data: string[] = [];
  let lastEventId = '';
  for await (const line of linesOf(body ?? (async function* () {})())) {
    if (line === '') {
      if (data.length > 0) yield { type: type || 'message', data: data.join('\n'), lastEventId };
      type = '';
      data = [];
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === '') onComment?.(value);
    else if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) lastEventId = value;
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value));
  }
}

/** All of them, once the body has ended. */
export async function allEvents(body: AsyncIterable<Uint8Array> | null): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
