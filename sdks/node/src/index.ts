// What `@ramz/sdk` offers.

export * from './errors.ts';
export type * from './gen/events.ts';
export type * from './gen/resources.ts';
export type * from './gen/types.ts';
export * from './gen/words.ts';
export { List } from './list.ts';
export type { CallOptions, Page, WatchOptions } from './operation.ts';
export type { Fetch, Options } from './options.ts';
export { Ramz } from './ramz.ts';
export { type OnResponse, ResponseInfo } from './response-info.ts';
export { version } from './version.ts';
export * as webhooks from './webhooks.ts';
