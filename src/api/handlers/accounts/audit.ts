// The audit log: AuditService for an account, and the operation of AdminService that lists everything.

import { create } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { asAccountSees } from '../../../core/accounts/audit-view.ts';
import { auditIdPrefix } from '../../../db/accounts/audit.ts';
import { type AuditFilter, listAuditEvents } from '../../../db/accounts/audit-list.ts';
import type { AuditEventRow, Db } from '../../../db/schema.ts';
import type { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { type AuditEvent, AuditEventSchema, AuditService } from '../../../gen/ramz/v1/audit_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { boundOf, nextPageToken, type PageRequest, readPage, toTimestamp } from '../fields.ts';

export function auditService(db: Db): RegisteredService {
  return service(AuditService, {
    async listAuditEvents(request, context) {
      const { accountId, mode } = keyOf(context);
      const of = { accountId, mode: mode === 'test' ? mode : null };
      const { items, next } = await list(db, request, of, ['audit_events', accountId, mode]);
      return { auditEvents: items.map((row) => toAuditEvent(asAccountSees(row))), nextPageToken: next };
    },
  });
}

export function auditHandlers(db: Db): Pick<ServiceImpl<typeof AdminService>, 'listAdminAuditEvents'> {
  return {
    async listAdminAuditEvents(request) {
      const { accountId } = request;
      const of = { accountId: accountId || null, mode: null };
      const { items, next } = await list(db, request, of, ['all_audit_events', accountId]);
      return { auditEvents: items.map(toAuditEvent), nextPageToken: next };
    },
  };
}

interface Request extends PageRequest {
  actorId: string;
  action: string;
  target: string;
  createdAfter?: Timestamp | undefined;
  createdBefore?: Timestamp | undefined;
}

async function list(
  db: Db,
  request: Request,
  of: Pick<AuditFilter, 'accountId' | 'mode'>,
  name: readonly string[],
): Promise<{ items: AuditEventRow[]; next: string }> {
  const { actorId, action, target } = request;
  const [since, until] = [boundOf(request.createdAfter), boundOf(request.createdBefore)];
  const binding = [...name, actorId, action, target, String(since), String(until)];
  const asked = { ...of, actorId: actorId || null, action: action || null, target: target || null, since, until };
  const { items, next } = await listAuditEvents(db, asked, readPage(request, auditIdPrefix, binding));
  return { items, next: nextPageToken(next, binding) };
}

function toAuditEvent(row: AuditEventRow): AuditEvent {
  const { id, action, target, address, before, after, mode } = row;
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return create(AuditEventSchema, {
    id,
    createdAt: toTimestamp(row.at),
    accountId: row.account_id ?? '',
    ...(mode === null ? {} : { test: mode === 'test' }),
    action,
    target,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, person: row.actor_person },
    address,
    requestId: row.request_id,
    changes: fields.sort().map((field) => ({
      field,
      ...(field in before ? { before: toText(before[field]) } : {}),
      ...(field in after ? { after: toText(after[field]) } : {}),
    })),
  });
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
