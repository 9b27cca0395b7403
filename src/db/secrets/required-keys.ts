// The check of the key ring at a start and when it is read again: a process that lacks keys which the database names would answer good keys 401.

import { type KeyPurpose, type KeyRing, keyPurposes } from '../../core/secrets/key-ring.ts';
import { currentKeys, keysOf, reportOf } from '../../core/secrets/ring-report.ts';
import type { Queryable } from '../queryable.ts';
import { type Databases, keyUses } from './key-uses.ts';
import { announcedKeys, lackingLines, readRings, withdrawnOf } from './process-rings.ts';

export type { Databases };

export type RequiredKeys =
  | { kind: 'complete' }
  /** `reason`: for the person who starts the program, with the purpose and id of each key that the ring lacks. */
  | { kind: 'missing'; reason: string };

/** Whether the ring has every key that the databases name, but for those that were given up. @param purposes default: all */
export async function requiredKeys(
  databases: Databases,
  ring: KeyRing,
  purposes: readonly KeyPurpose[] = keyPurposes,
): Promise<RequiredKeys> {
  const [uses, announced] = await Promise.all([keyUses(databases), announcedKeys(databases.home)]);
  const givenUp = new Set(announced.flatMap(({ id, removed }) => (removed ? [id] : [])));
  const lacking = uses.filter(
    ({ purpose, id }) => purposes.includes(purpose) && ring.byId(id)?.purpose !== purpose && !givenUp.has(id),
  );
  return lacking.length > 0 ? { kind: 'missing', reason: reasonFor(lacking) } : complete;
}

/**
 * Whether what is made with the ring now is of use: every running process has its current keys, and none of them was removed. Where no row names a
 * key yet, the processes alone tell a ring from a foreign one. Asks home alone. @param purposes default: all
 */
export async function usableKeys(
  home: Queryable,
  ring: KeyRing,
  purposes: readonly KeyPurpose[] = keyPurposes,
): Promise<RequiredKeys> {
  const [processes, announced] = await Promise.all([readRings(home), announcedKeys(home)]);
  const current = currentKeys(reportOf(ring)).filter(({ purpose }) => purposes.includes(purpose));
  const lines = withdrawnOf(current, announced).map(({ purpose, id }) => `  ${purpose}  ${id}`);
  if (lines.length > 0) return missing('the key ring makes things with keys that were removed:', lines);
  const blind = lackingLines(processes, current);
  return blind.length > 0 ? missing('running processes lack the current keys of this key ring:', blind) : complete;
}

/**
 * Whether a rotation or a removal may begin with the ring: it has every key that the databases name and every one that was announced, but for those
 * that were removed. Where no process is running, nothing else tells a ring from a foreign or old one, whose keys would then keep the right one
 * from starting. @param leaving Id of a key that is to go: a removal that broke off has taken it out of the ring already.
 */
export async function changeableRing(databases: Databases, ring: KeyRing, leaving?: string): Promise<RequiredKeys> {
  const [uses, announced] = await Promise.all([keyUses(databases), announcedKeys(databases.home)]);
  const checks = new Map(keysOf(reportOf(ring)).map(({ id, check }) => [id, check]));
  const settled = new Set(announced.flatMap(({ id, removed }) => (removed ? [id] : [])));
  if (leaving !== undefined) settled.add(leaving);
  const lacking = [
    ...uses.filter(({ purpose, id }) => ring.byId(id)?.purpose !== purpose),
    ...announced.filter(({ id, check }) => checks.get(id) !== check),
  ].filter(({ id }) => !settled.has(id));
  const lines = [...new Set(lacking.map(({ purpose, id }) => `  ${purpose}  ${id}`).sort())];
  const advice =
    'Name the ring that the service has (RAMZ_KEY_RING). Give up a key that no ring has any more: `keys remove <id> --lost` (docs/service-keys.md).';
  return lines.length > 0 ? missing('this is not the ring of the service: it lacks', lines, advice) : complete;
}

const complete: RequiredKeys = { kind: 'complete' };

const missing = (what: string, lines: readonly string[], advice = nameTheirs): RequiredKeys => ({
  kind: 'missing',
  reason: [what, ...lines, advice].join('\n'),
});
const nameTheirs = 'Name the ring that the running processes have (RAMZ_KEY_RING).';

const reasonFor = (lacking: readonly { purpose: KeyPurpose; id: string }[]): string =>
  [
    'the key ring lacks keys that the database names:',
    ...new Set(lacking.map(({ purpose, id }) => `  ${purpose}  ${id}`).sort()),
    'Start with the ring that the other processes have (RAMZ_KEY_RING); a key may go once nothing names it. Where the ring is lost: docs/service-keys.md.',
  ].join('\n');
