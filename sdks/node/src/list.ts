// A list as its caller sees it: items of all pages one after another, or pages.

import { ServerError } from './errors.ts';
import type { Caller, CallOptions, Operation, Page } from './operation.ts';

/**
 * What a list operation answers: `for await (const item of list)` goes through the items of all pages, and asks for the next
 * page when it is needed. Each loop starts again from the first page.
 */
export class List<T> implements AsyncIterable<T> {
  readonly #page: (pageToken: string | undefined) => Promise<Page<T>>;

  /** @internal */
  constructor(caller: Caller, operation: Operation, path: readonly string[], request: object, options?: CallOptions) {
    this.#page = (pageToken) =>
      caller.page<T>(operation, path, pageToken === undefined ? request : { ...request, pageToken }, options);
  }

  /** One page: the first, or that of the `pageToken` in the request. */
  page(): Promise<Page<T>> {
    return this.#page(undefined);
  }

  /** All pages, one after another. Throws ServerError at a page that came before: the list would have no end. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const seen = new Set<string>();
    let token: string | undefined;
    for (;;) {
      const page = await this.#page(token);
      yield page;
      if (page.nextPageToken === '') return;
      if (seen.has(page.nextPageToken)) {
        throw new ServerError({ status: 200, code: '', message: 'the same page again', requestId: '', details: {} });
      }
      token = page.nextPageToken;
      seen.add(token);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }
}
