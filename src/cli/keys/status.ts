// `keys status` as lines for a person, and as JSON for a program.

import { keyPurposes } from '../../core/secrets/key-ring.ts';
import { processName } from '../../db/secrets/process-rings.ts';
import type { FleetKeys, KeyState } from '../../engine/secrets/rotation.ts';

export function statusLines({ processes, keys }: FleetKeys): string[] {
  const lines: string[] = [];
  for (const purpose of keyPurposes) {
    const theirs = keys.filter((key) => key.purpose === purpose);
    if (theirs.length > 0) lines.push(purpose, ...theirs.flatMap((key) => linesOf(key, processes.length)));
  }
  lines.push(processes.length === 0 ? 'no process is running' : 'processes');
  for (const process of processes)
    lines.push(`  ${processName(process)}${process.report ? '' : ': does not say which keys it has'}`);
  return lines;
}

function linesOf(key: KeyState, processes: number): string[] {
  const { id, role, uses, heldBy, currentIn, keptBy } = key;
  const used = role === 'current' || currentIn.length > 0;
  const who = used
    ? `used by ${currentIn.length} of ${processes} processes`
    : `held by ${heldBy.length} of ${processes} processes`;
  const named = uses.map(({ rows, what }) => `    ${rows} ${what}`);
  const head = `  ${id}  ${role === 'gone' ? 'not in this ring' : role}  ${who}`;
  if (role === 'current') return [head, ...named];
  if (keptBy.length === 0) return [head, `    safe to remove: npm run ramz -- keys remove ${id}`];
  return [head, '    not safe to remove:', ...keptBy.map((why) => `      ${why}`)];
}

export function statusJson({ processes, keys }: FleetKeys): string {
  const shown = {
    keys: keys.map(({ purpose, id, role, uses, heldBy, currentIn, keptBy }) => ({
      purpose,
      id,
      role,
      named_by: uses.map(({ what, rows }) => ({ what, rows })),
      held_by: heldBy,
      current_in: currentIn,
      safe_to_remove: keptBy.length === 0,
      kept_by: keptBy,
    })),
    processes: processes.map(({ processId, report, sinceMs }) => ({
      id: processId,
      host: report?.host ?? null,
      pid: report?.pid ?? null,
      since_seconds: sinceMs === null ? null : Math.round(sinceMs / 1000),
    })),
  };
  return JSON.stringify(shown, null, 2);
}
