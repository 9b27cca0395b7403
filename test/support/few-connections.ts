// A client that keeps its connections few, as those of one address should be that have not yet shown a key (limits.unauthenticated_connections_per_address,
// 256 where nothing is set): `fetch` of Node opens one for each call that is under way, and on a busy machine those that are late are cut.
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll } from 'vitest';

/** `fetch` over connections with these options; `connections`: so many at most, and calls beyond it wait for one. Closed after the file. */
export function fetchOver(options: Agent.Options): typeof fetch {
  const agent = new Agent(options);
  afterAll(() => agent.close());
  return ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher: agent })) as typeof fetch;
}
