// A page that listens to the sandbox: the events of `GET /sandbox/events`, read as a browser reads them.
import type { PhoneCall } from '../../../src/sandbox/views.ts';
import { readEvents } from '../../support/event-stream.ts';
import { until } from '../../support/wait.ts';

export interface PageEvent {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an event brings is what tests look at.
  data: any;
}

export class Page {
  readonly answer: Response;
  /** In order; the first one is `hello`. */
  readonly events: PageEvent[] = [];
  comments = 0;
  ended = false;
  readonly #end: AbortController;

  private constructor(answer: Response, end: AbortController) {
    this.answer = answer;
    this.#end = end;
    this.#read(answer.body!).catch(() => {
      this.ended = true;
    });
  }

  static async open(httpUrl: string, headers: Record<string, string> = {}, query = ''): Promise<Page> {
    const end = new AbortController();
    const answer = await fetch(`${httpUrl}/sandbox/events${query}`, { headers, signal: end.signal });
    const page = new Page(answer, end);
    if (answer.ok) await until(() => page.events[0], { what: 'the first event' });
    return page;
  }

  get hello(): PageEvent['data'] {
    return this.events[0]?.data;
  }

  /** What came with the events of one name, oldest first. */
  of(name: string): PageEvent['data'][] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data);
  }

  /** Every state of the newest call to a number, oldest first. */
  callsTo(to: string): PhoneCall[] {
    const calls: PhoneCall[] = this.of('call').filter((call) => call.to === to);
    return calls.filter(({ id }) => id === calls.at(-1)?.id);
  }

  /** Waits until the newest event of a name fits. */
  last(name: string, fits: (data: PageEvent['data']) => boolean): Promise<PageEvent['data']> {
    const newest = () => this.of(name).at(-1);
    return until(() => newest() !== undefined && fits(newest()) && { data: newest() }, { what: `${name} to fit` }).then(
      ({ data }) => data,
    );
  }

  close(): void {
    this.#end.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const onComment = () => {
      this.comments += 1;
    };
    for await (const { type, data } of readEvents(body, { onComment }))
      this.events.push({ name: type, data: JSON.parse(data) });
    this.ended = true;
  }
}
