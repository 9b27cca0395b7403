// Configuration: environment and file -> one typed value. The entry of src/config/; nothing else imports from inside it.
// Not here: what settings do. core and smpp take plain values and never import this.

export { diffConfig } from './config/diff.ts';
export type * from './config/file.ts';
export { loadConfig } from './config/load.ts';
export type { ConfigSources } from './config/problem.ts';
