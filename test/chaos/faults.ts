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
    const parts = fault.kind === 'kill' ? fault.parts.map(({ part }) => part) : [fault.part];
    const up = () => parts.every((part) => isUp(world, part));
    await until(up, { what: `${parts.join(' and ')} to be up again`, timeoutMs: 60_000 });
    say(`${((Date.now() - started) / 1000).toFixed(1)} s: ${fault.kind} ${parts.join(', ')}`);
    world.journal.tell(fault.kind, parts);
    if (fault.kind === 'kill') {
      restarts.push(...fault.parts.map(({ part, restartAfterMs }) => killAndRestart(world, part, restartAfterMs)));
    } else await freeze(world, fault.part, fault.forMs);
  }
  await Promise.all(restarts);
}

async function killAndRestart(world: Killed, part: Part, restartAfterMs: number): Promise<void> {
  const killed = partOf(world, part);
  await killed.kill();
  await pause(restartAfterMs);
  await killed.start();
}

async function freeze(world: Killed, part: Part, forMs: number): Promise<void> {
  const frozen = partOf(world, part);
  frozen.freeze();
  await pause(forMs);
  frozen.thaw();
  world.journal.tell('thaw', [part]);
}

const partOf = ({ postgres, servers }: Killed, part: Part) => (part === 'postgres' ? postgres : servers[part]);
const isUp = (world: Killed, part: Part): boolean => partOf(world, part).ready;
