// A link as its row, and back.

import type { WabaLink } from '../../core/waba/link.ts';
import type { WabaRow } from '../../db/schema.ts';
import type { WabaChange } from '../../db/waba/links.ts';

/** Whether it is the same link, where it was: another one, or one that was ended, wants nothing of an old step. */
export const isSameStep = (a: WabaRow, b: WabaRow): boolean =>
  a.created_at.getTime() === b.created_at.getTime() && a.status === b.status && a.step === b.step;

export const linkOf = (row: WabaRow): WabaLink => ({
  status: row.status,
  step: row.step,
  reason: row.reason,
  errorCode: row.error_code,
  attempts: row.attempts,
  nextAt: row.next_at?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  connectedAt: row.connected_at?.getTime() ?? null,
  codeExpiresAt: row.code_expires_at?.getTime() ?? null,
  templates: row.templates,
});

/** A link that is broken keeps its PIN, which the number has: a new link of the same number needs it. */
export const columnsOf = ({
  status,
  step,
  reason,
  errorCode,
  attempts,
  connectedAt,
  templates,
}: WabaLink): WabaChange => ({
  status,
  step,
  reason,
  error_code: errorCode,
  attempts,
  templates,
  connected_at: connectedAt === null ? null : new Date(connectedAt),
  ...(status === 'broken' ? { token: null, code: null, code_expires_at: null } : {}),
});
