// Carries out a plan of kills and freezes.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/wait.ts';
import type { Fault, Part } from './plan.ts';
import type { World } from './world.ts';

type Killed = Pick<World, 'postgres' | 'servers' | 'journal'>;

/** Resolves when the last one is over and everything was told to start again. A part that is not up yet is waited for. */
export async function doFaults(world: Killed, plan: readonly Fault[], say: (line: string) => void): Promise<void> {
  const started = Date.now();
  const restarts: Promise<void>[] = [];
  for (const fault of plan) {
    await pause(Math.max(0, started + fault.atMs - Date.now()));
    const parts = fault.kind === 'kill' ? fault.parts.map(({ part }) => part) : [fault.server];
    const up = () => parts.every((part) => isUp(world, part));
    await until(up, { what: `${parts.join(' and ')} to be up again`, timeoutMs: 60_000 });
    say(`${((Date.now() - started) / 1000).toFixed(1)} s: ${fault.kind} ${parts.join(', ')}`);
    world.journal.tell(fault.kind, parts);
    if (fault.kind === 'kill') {
      restarts.push(...fault.parts.map(({ part, restartAfterMs }) => killAndRestart(world, part, restartAfterMs)));
    } else await freeze(world, fault.server, fault.forMs);
  }
  await Promise.all(restarts);
}

async function killAndRestart(world: Killed, part: Part, restartAfterMs: number): Promise<void> {
  const killed = part === 'postgres' ? world.postgres : world.servers[part];
  await killed.kill();
  await pause(restartAfterMs);
  await killed.start();
}

async function freeze({ servers, journal }: Killed, server: 'a' | 'b', forMs: number): Promise<void> {
  servers[server].freeze();
  await pause(forMs);
  servers[server].thaw();
  journal.tell('thaw', [server]);
}

const isUp = ({ postgres, servers }: Killed, part: Part): boolean =>
  part === 'postgres' ? postgres.ready : servers[part].ready;
