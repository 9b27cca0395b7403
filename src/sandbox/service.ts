// The service that this sandbox stands around: where it is, and the key by which pages call it. Its addresses are shown; the key stays in
// this process.

import { z } from 'zod';
import type { Feed } from './feed.ts';
import type { Service } from './views.ts';

const address = z
  .string()
  .max(300)
  .refine((text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''), 'must be the address of a service');

const serviceSchema = z
  .strictObject({ http: address, grpc: z.string().max(300), api_key: z.string().regex(/^[\x21-\x7e]{1,300}$/) })
  .nullable();

export class ServiceAddress {
  readonly #feed: Feed;
  #known: z.output<typeof serviceSchema> = null;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  get shown(): Service | null {
    return this.#known && { http: this.#known.http, grpc: this.#known.grpc };
  }

  /** Where the service is called, and with which key; null while it is not there. */
  get target(): { http: URL; apiKey: string } | null {
    return this.#known && { http: new URL(this.#known.http), apiKey: this.#known.api_key };
  }

  /** `null`: the service is gone. What is wrong; null = done. */
  set(input: unknown): string | null {
    const parsed = serviceSchema.safeParse(input);
    if (!parsed.success) return z.prettifyError(parsed.error);
    this.#known = parsed.data;
    this.#feed.announce('service', this.shown);
    return null;
  }
}
