// A link as the contract shows it; never a secret of it.

import { create } from '@bufbuild/protobuf';
import type { WabaRow } from '../../../db/schema.ts';
import { type Waba, WabaSchema } from '../../../gen/ramz/v1/waba_pb.ts';
import { toTimestamp } from '../time.ts';

export function toWaba(row: WabaRow): Waba {
  const templates = Object.entries(row.templates).map(([language, status]) => ({ language, status }));
  return create(WabaSchema, {
    wabaId: row.waba_id,
    phoneNumberId: row.phone_number_id,
    phoneNumber: row.phone_number,
    displayName: row.display_name,
    status: row.status,
    step: row.step ?? '',
    reason: row.reason ?? '',
    errorCode: row.error_code ?? '',
    templates: templates.sort((a, b) => (a.language < b.language ? -1 : 1)),
    createdAt: toTimestamp(row.created_at),
    connectedAt: toTimestamp(row.connected_at),
    updatedAt: toTimestamp(row.updated_at),
  });
}
