// Carries out a plan of kills, freezes and cuts.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/wait.ts';
import type { Fault, Part, Server } from './plan.ts';
import type { World } from './world.ts';

type Killed = Pick<World, 'postgres' | 'servers' | 'journal' | 'relay'>;

/** Resolves when the last one is over and everything was told to start again. A part that is not up yet is waited for. */
export async function doFaults(world: Killed, plan: readonly Fault[], say: (line: string) => void): Promise<void> {
  const started = Date.now();
  const restarts: Promise<void>[] = [];
  for (const fault of plan) {
    await pause(Math.max(0, started + fault.atMs - Date.now()));
    const parts = partsOf(fault);
    const up = () => parts.every((part) => isUp(world, part));
    await until(up, { what: `${parts.join(' and ')} to be up again` });
    say(`${((Date.now() - started) / 1000).toFixed(1)} s: ${fault.kind} ${parts.join(', ')}`);
    world.journal.tell(fault.kind, parts);
    if (fault.kind === 'kill') {
      restarts.push(...fault.parts.map(({ part, restartAfterMs }) => killAndRestart(world, part, restartAfterMs)));
    } else if (fault.kind === 'cut') await cut(world, fault.parts, fault.forMs);
    else await freeze(world, fault.part, fault.forMs);
  }
  await Promise.all(restarts);
  const isWhole = () => world.postgres.ready && world.servers.every(({ ready }) => ready);
  await until(isWhole, { what: 'all to be up again' });
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

async function cut({ relay, journal }: Killed, parts: Server[], forMs: number): Promise<void> {
  relay.cut(parts);
  await pause(forMs);
  relay.heal();
  journal.tell('healed', parts);
}

function partsOf(fault: Fault): Part[] {
  switch (fault.kind) {
    case 'kill':
      return fault.parts.map(({ part }) => part);
    case 'cut':
      return fault.parts;
    case 'freeze':
      return [fault.part];
  }
}

function partOf({ postgres, servers }: Killed, part: Part) {
  const found = part === 'postgres' ? postgres : servers.find(({ name }) => name === part);
  if (!found) throw new Error(`no part ${part}`);
  return found;
}
const isUp = (world: Killed, part: Part): boolean => partOf(world, part).ready;
