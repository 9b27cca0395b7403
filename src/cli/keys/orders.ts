// What `ramz keys` does over all running processes: rotates keys, takes out what is old, gives up what is lost.

import { randomBytes } from 'node:crypto';
import { type KeyPurpose, keyPurposes, parseKeyRing } from '../../core/secrets/key-ring.ts';
import type { KnownKey } from '../../core/secrets/ring-report.ts';
import { withNextAsCurrent, withNextKey, withoutKey } from '../../core/secrets/ring-text.ts';
import { changeableRing, type Databases } from '../../db/secrets/required-keys.ts';
import { type KeyState, knownKeys, type Rotation } from '../../engine/secrets/rotation.ts';
import { Refusal } from '../command.ts';
import { draftRing, type KeptRing, writeRing } from './ring-file.ts';

/** What the orders work with. */
export interface Fleet {
  rotation: Rotation;
  databases: Databases;
  /** Those that can be reached: a rotation needs no other, as after a leak it is not to wait. */
  reached: Databases;
  kept: KeptRing;
  /** Null: the ring is written where it is kept. */
  print: ((text: string) => void) | null;
  say(line: string): void;
  waitMs: number;
}

/** @throws Refusal */
export function purposesOf(names: readonly string[], { ring }: KeptRing): KeyPurpose[] {
  const there = keyPurposes.filter((purpose) => ring.has(purpose));
  for (const name of names)
    if (!there.some((purpose) => purpose === name))
      throw new Refusal(`the key ring has no purpose "${name}": it has ${there.join(', ')}`, 2);
  return there.filter((purpose) => names.length === 0 || names.includes(purpose));
}

/** Two phases: the new keys are everywhere, and only then one process after another makes things with them. */
export async function rotate(fleet: Fleet, purposes: readonly KeyPurpose[]): Promise<number> {
  const { rotation, kept, print, say, waitMs } = fleet;
  await unlessForeign(fleet.reached, kept);
  if (purposes.every((purpose) => !kept.ring.next(purpose))) {
    const before = await rotation.untilCurrent(keysNamed(kept.json, purposes, 'current'), waitMs);
    if (before.length > 0)
      return unfinished(
        say,
        before,
        'The rotation before is not finished: give these processes the ring as it is, and run the same again.',
      );
  }
  const added = purposes.reduce(
    (json, purpose) => withNextKey(json, purpose, (size) => randomBytes(size)).json,
    kept.json,
  );
  const coming = keysNamed(added, purposes, 'next');
  await unlessWithdrawn(rotation, coming);
  if (print && added !== kept.json) {
    print(added);
    say('1 of 2: put this ring where it is kept, for every process, and run the same again');
    return 0;
  }
  if (added !== kept.json) writeRing(kept, added);
  say(`1 of 2: ${coming.map(({ id }) => id).join(', ')} added, not in use yet`);
  const lacking = await rotation.untilHeld(coming, waitMs);
  if (lacking.length > 0)
    return unfinished(
      say,
      lacking,
      'Copy the ring to these processes (SIGHUP reads it at once), and run the same again.',
    );
  const late = await rotation.announce(coming);
  if (late.length > 0)
    return unfinished(
      say,
      late,
      'A process has started with the old ring: copy the new one to it, and run the same again.',
    );
  await unlessWithdrawn(rotation, coming);

  const turned = purposes.reduce(withNextAsCurrent, added);
  if (print) {
    print(turned);
    say('2 of 2: put this ring where it is kept, for every process; `keys status` says when all use it');
    return 0;
  }
  writeRing({ ...kept, json: added }, turned);
  say(`2 of 2: ${coming.map(({ id }) => id).join(', ')} current`);
  const behind = await rotation.untilCurrent(coming, waitMs);
  if (behind.length > 0)
    return unfinished(say, behind, 'Copy the ring to these processes, too. Until then nothing is refused.');
  say('every process makes new things with these keys; `keys status` says when the old ones may be removed');
  return 0;
}

export async function remove(fleet: Fleet, id: string): Promise<number> {
  const { rotation, kept, print, say, waitMs } = fleet;
  const removed = withoutKey(kept.json, id);
  const key = await known(rotation, kept, id);
  unlessKept(id, key.keptBy);
  await unlessForeign(fleet.databases, kept, id);
  // First: a key that stays in the ring must not be recorded as removed.
  const draft = removed.kind === 'removed' && !print ? draftRing(kept, removed.json) : null;
  try {
    unlessKept(id, await rotation.remove(kept.ring, key, () => draft?.put()));
  } finally {
    draft?.drop();
  }
  if (print) {
    if (removed.kind === 'removed') print(removed.json);
    return 0;
  }
  say(`${id} is removed`);
  const holding = await rotation.untilDropped(key, waitMs);
  return holding.length > 0
    ? unfinished(say, holding, 'Copy the ring to these processes, too. Nothing needs the key.')
    : 0;
}

export async function giveUp({ rotation, kept, say }: Fleet, id: string): Promise<number> {
  unlessKept(id, await rotation.giveUp(await known(rotation, kept, id)));
  say(`${id} is given up: what was made with it can't be read again`);
  return 0;
}

/** @throws Refusal where the ring is not that of the service. `leaving`: see `changeableRing`. */
async function unlessForeign(databases: Databases, { ring }: KeptRing, leaving?: string): Promise<void> {
  const keys = await changeableRing(databases, ring, leaving);
  if (keys.kind === 'missing') throw new Refusal(keys.reason, 1);
}

/** @throws Refusal */
async function known(rotation: Rotation, { ring }: KeptRing, id: string): Promise<KeyState> {
  const key = await rotation.find(ring, id);
  if (!key) throw new Refusal(`no key ${id} is in the ring, or named by anything`, 1);
  return key;
}

/** @throws Refusal */
function unlessKept(id: string, keptBy: readonly string[]): void {
  if (keptBy.length > 0) throw new Refusal([`${id} must stay:`, ...keptBy.map((why) => `  ${why}`)].join('\n'), 1);
}

/** A removal that was not finished, or another copy of the ring: the key would be current, and no process would start. @throws Refusal */
async function unlessWithdrawn(rotation: Rotation, coming: readonly KnownKey[]): Promise<void> {
  const [key] = await rotation.withdrawn(coming);
  if (!key) return;
  const { id } = key;
  const advice = `take it out with \`keys remove ${id}\` (with --print: keep the ring that it prints), and run this again`;
  throw new Refusal(`${id} was removed, and is the next key of this ring all the same: ${advice}`, 1);
}

function keysNamed(json: string, purposes: readonly KeyPurpose[], role: 'current' | 'next') {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
  const { ring } = parsed;
  return knownKeys(
    ring,
    purposes.flatMap((purpose) => ring[role](purpose)?.id ?? []),
  );
}

function unfinished(say: (line: string) => void, lines: readonly string[], advice: string): number {
  for (const line of lines) say(`  ${line}`);
  say(advice);
  return 1;
}
