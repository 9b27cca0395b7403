// A change of a business's account in the platform's callbacks. Source: the references of `account_update`,
// `message_template_status_update` and the webhooks about quality and limits. What is only a sign that something has changed is no more
// than that here: callbacks overtake each other, so how the account stands is read from the platform.

import { z } from 'zod';

export type AccountChange =
  /** No longer ours to use. `reportedAt`: Unix ms, in whole seconds; callbacks are repeated for days. `appId`: the app it was taken from. */
  | {
      kind: 'ended';
      wabaId: string;
      reportedAt: number;
      reason: 'uninstalled' | 'account_deleted';
      appId: string | null;
    }
  /** Stopped by the platform. `until`: Unix ms; null = until it says otherwise. */
  | {
      kind: 'suspended';
      wabaId: string;
      reportedAt: number;
      reason: 'account_restricted' | 'account_disabled' | 'account_offboarded';
      until: number | null;
    }
  /** A warning that nothing follows from here. */
  | { kind: 'warned'; wabaId: string; event: string; detail: string }
  /** Templates, quality, limits, or a return of the account. */
  | { kind: 'changed'; wabaId: string };

const idSchema = z.string().regex(/^\d{1,32}$/);
const secondsSchema = z.int().min(0).max(99_999_999_999);
/** The end of a restriction: Unix seconds as documented, or a date as others report to have got it, `2026-04-19T13:59:20+0000`. */
const endSchema = z.union([
  secondsSchema,
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT[\d:.]{5,15}(Z|[+-]\d\d:?\d\d)$/)
    .transform((text) => Math.floor(Date.parse(text) / 1000))
    .pipe(secondsSchema),
]);
const entrySchema = z.object({ id: idSchema });

/** Fields whose every callback means that the account is to be looked at. */
const signs: ReadonlySet<string> = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'phone_number_quality_update',
  'phone_number_name_update',
  'business_capability_update',
  'account_review_update',
  'account_alerts',
]);

const updateSchema = z.object({
  event: z.string(),
  waba_info: z.object({ waba_id: idSchema, partner_app_id: idSchema.optional() }).optional().catch(undefined),
  ban_info: z.object({ waba_ban_state: z.string() }).optional().catch(undefined),
  restriction_info: z
    .array(z.object({ restriction_type: z.string(), expiration: endSchema.optional().catch(undefined) }))
    .optional()
    .catch(undefined),
  violation_info: z.object({ violation_type: z.string() }).optional().catch(undefined),
});

/** The one restriction that stops a code: a business may not write first. */
const noMessages = 'RESTRICTED_BIZ_INITIATED_MESSAGING';

/** The change of an account in one entry; null where it holds none. */
export function readAccountChange(
  field: string,
  value: unknown,
  entry: { id?: string | undefined; time?: number | undefined },
): AccountChange | null {
  const entryId = entrySchema.safeParse(entry).data?.id ?? null;
  if (signs.has(field)) return entryId === null ? null : { kind: 'changed', wabaId: entryId };
  if (field !== 'account_update') return null;
  const update = updateSchema.safeParse(value).data;
  const time = secondsSchema.safeParse(entry.time).data;
  // With `waba_info` the entry is the partner's; without it the entry is the account itself.
  const wabaId = update?.waba_info?.waba_id ?? entryId;
  if (!update || time === undefined || wabaId === null) return null;
  const reportedAt = time * 1000;
  switch (update.event) {
    case 'PARTNER_APP_UNINSTALLED':
    case 'PARTNER_REMOVED': {
      if (!update.waba_info) return null;
      const appId = update.waba_info.partner_app_id ?? null;
      return { kind: 'ended', wabaId, reportedAt, reason: 'uninstalled', appId };
    }
    case 'ACCOUNT_DELETED':
      return { kind: 'ended', wabaId, reportedAt, reason: 'account_deleted', appId: null };
    case 'ACCOUNT_OFFBOARDED':
      return { kind: 'suspended', wabaId, reportedAt, reason: 'account_offboarded', until: null };
    case 'ACCOUNT_RECONNECTED':
      return { kind: 'changed', wabaId };
    case 'DISABLED_UPDATE':
      return disabled(update.ban_info?.waba_ban_state ?? '', wabaId, reportedAt);
    case 'ACCOUNT_RESTRICTION': {
      const restriction = update.restriction_info?.find((each) => each.restriction_type === noMessages);
      const detail = update.restriction_info?.map((each) => each.restriction_type).join(' ') ?? '';
      if (!restriction) return { kind: 'warned', wabaId, event: update.event, detail };
      const { expiration } = restriction;
      const until = expiration === undefined ? null : expiration * 1000;
      return { kind: 'suspended', wabaId, reportedAt, reason: 'account_restricted', until };
    }
    case 'ACCOUNT_VIOLATION':
      return { kind: 'warned', wabaId, event: update.event, detail: update.violation_info?.violation_type ?? '' };
    default:
      return null; // Prices, places, terms, verifications of partners, and events added later.
  }
}

function disabled(state: string, wabaId: string, reportedAt: number): AccountChange {
  if (state === 'DISABLE') return { kind: 'suspended', wabaId, reportedAt, reason: 'account_disabled', until: null };
  if (state === 'REINSTATE') return { kind: 'changed', wabaId };
  return { kind: 'warned', wabaId, event: 'DISABLED_UPDATE', detail: state };
}
