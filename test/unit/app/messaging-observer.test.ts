// The log lines of links to businesses' own WhatsApp accounts: each says what has become of the link.
import { expect, test } from 'vitest';
import { logLink } from '../../../src/app/messaging-observer.ts';
import type { WabaRow } from '../../../src/db/schema.ts';

const at = new Date('2026-11-01T12:00:00Z');
const later = new Date('2026-11-01T12:15:00Z');

/** Level and words of the line of a link. */
function lineOf(row: Partial<WabaRow>): [level: string, words: string] {
  const lines: [string, string][] = [];
  const at = (level: string) => (_: object, words: string) => lines.push([level, words]);
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  logLink(logger as never, { health: null, connected_at: null, reason: null, ...row } as WabaRow, later.getTime());
  expect(lines).toHaveLength(1);
  return lines[0] as [string, string];
}

test.each([
  [{ status: 'broken', reason: 'token_revoked' }, 'warn', 'is not linked'],
  [{ status: 'suspended', reason: 'account_disabled', step_since: at, updated_at: at }, 'warn', 'is stopped by the'],
  [{ status: 'suspended', reason: 'account_disabled', step_since: at, updated_at: later }, 'debug', 'still stopped'],
  [{ status: 'suspended', reason: 'permission_missing', step_since: at, updated_at: at }, 'warn', 'advanced access'],
  [{ status: 'disconnected', reason: 'account_deleted' }, 'info', 'has ended'],
  [{ status: 'connecting', reason: 'platform_unavailable' }, 'info', 'is tried again'],
  [{ status: 'connected' }, 'info', 'is linked'],
  [{ status: 'connecting' }, 'debug', 'a step of linking'],
] as const)('%j: %s', (row, level, words) => {
  expect(lineOf(row)).toEqual([level, expect.stringContaining(words)]);
});
