// Servers with peer ports, and what their metrics say of each other.
import type { ServerProcess } from '../support/service.ts';
import { until } from '../support/wait.ts';

export async function metric({ metrics }: ServerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Each of these hears the others, and all shards are owned in equal parts. */
export async function whole(of: readonly ServerProcess[]): Promise<void> {
  await until(
    async () => {
      const heard = await Promise.all(of.map((one) => metric(one, 'ramz_peers_heard')));
      const owned = await Promise.all(of.map((one) => metric(one, 'ramz_shards_owned')));
      const isEqual = Math.max(...owned) - Math.min(...owned) <= 1 && owned.reduce((sum, n) => sum + n, 0) === 1024;
      return isEqual && heard.every((count) => count === of.length - 1);
    },
    { what: 'each to hear the others and to own its part', timeoutMs: 90_000, everyMs: 200 },
  );
}
