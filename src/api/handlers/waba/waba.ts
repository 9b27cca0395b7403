// WabaService: the business's own WhatsApp account of the caller. It is a live resource: test keys see and change nothing.

import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { WabaHealth } from '../../../core/waba/link.ts';
import type { Begun, LinkRequest, Waba, WabaRow } from '../../../engine/waba/waba.ts';
import {
  type ConnectWabaRequest,
  WabaHealthSchema,
  WabaProblemSchema,
  WabaSchema,
  WabaService,
  type Waba as WabaView,
} from '../../../gen/ramz/v1/waba_pb.ts';
import { pageUrl } from '../../signup/page.ts';
import { actorOf, keyOf } from '../../waist/context.ts';
import { accountStopped, fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { toTimestamp } from '../fields.ts';

export interface WabaServiceOptions {
  waba: Pick<Waba, 'createSignup' | 'begin' | 'find' | 'disconnect'> & {
    recipients: Pick<Waba['recipients'], 'counted'>;
  };
  /** Where browsers find the service, without a slash at its end. */
  publicUrl(): string;
  /** The account's language: that of the page where a call gives none. */
  language(accountId: string): Promise<string>;
}

export function wabaService({ waba, publicUrl, language }: WabaServiceOptions): RegisteredService {
  // Of a number that is not shown to be the account's, nothing is said.
  const view = (row: WabaRow) => toWaba(row, row.owned ? waba.recipients.counted(row.phone_number_id) : 0);
  return service(WabaService, {
    async createWabaSignup(request, context) {
      const accountId = requireLive(context);
      const made = await waba.createSignup(accountId, actorOf(context));
      switch (made.kind) {
        case 'created': {
          const { state, expiresAt } = made;
          const url = pageUrl(publicUrl(), { state, language: request.language || (await language(accountId)) });
          return { url, state, expiresAt: toTimestamp(expiresAt) };
        }
        case 'already_connected':
          throw alreadyConnected();
        case 'account_suspended':
        case 'account_closed':
          throw accountStopped(made.kind);
        case 'not_offered':
          throw fail('unimplemented', 'this deployment offers no embedded signup; an account can be linked by hand');
      }
    },

    async connectWaba(request, context) {
      const accountId = requireLive(context);
      const begun = await waba.begin({ ...readRequest(request), actor: actorOf(context) }, accountId);
      if (begun.kind !== 'begun') throw refusal(begun);
      return { waba: view(begun.waba) };
    },

    async getWaba(_, context) {
      const { accountId, mode } = keyOf(context);
      const row = mode === 'live' ? await waba.find(accountId) : undefined;
      if (!row) throw notFound();
      return { waba: view(row) };
    },

    async disconnectWaba(_, context) {
      const row = await waba.disconnect(requireLive(context), actorOf(context));
      if (!row) throw notFound();
      return { waba: view(row) };
    },
  });
}

function requireLive(context: HandlerContext): string {
  const { accountId, mode } = keyOf(context);
  if (mode === 'live') return accountId;
  throw fail('live_key_required', 'a WhatsApp account is linked to live mode: use a live key');
}

function readRequest({
  wabaId,
  phoneNumberId,
  credential,
  state,
  pin,
}: ConnectWabaRequest): Omit<LinkRequest, 'actor'> {
  const { case: kind, value = '' } = credential;
  const by: LinkRequest['by'] =
    kind === 'code' ? { kind, code: value, state, redirectUri: null } : { kind: 'token', token: value };
  return { wabaId, phoneNumberId, by, pin: pin === '' ? null : pin };
}

function refusal({ kind }: Exclude<Begun, { kind: 'begun' }>) {
  switch (kind) {
    case 'invalid_state':
      return fail('invalid_signup_state', 'the signup is not known, was used, or is too old: start it again', {
        field: 'state',
      });
    case 'already_connected':
      return alreadyConnected();
    case 'number_taken':
      return fail('phone_number_taken', 'the phone number id belongs to another account', { field: 'phone_number_id' });
    case 'account_suspended':
    case 'account_closed':
      return accountStopped(kind);
    case 'not_offered':
      return fail('unimplemented', 'this deployment links no WhatsApp accounts');
  }
}

const alreadyConnected = () => fail('waba_already_connected', 'a WhatsApp account is linked: unlink it first');
const notFound = () => fail('waba_not_found', 'this account has linked no WhatsApp account');

/** Never with a secret of the link. */
function toWaba(row: WabaRow, dailyRecipients: number): WabaView {
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
    dailyRecipients,
    ...(row.health ? { health: toHealth(row.health) } : {}),
  });
}

const toHealth = ({ problems, tokenExpiresAt, isOnBusinessApp: _, restrictedUntil: __, ...words }: WabaHealth) =>
  create(WabaHealthSchema, {
    ...words,
    ...(tokenExpiresAt === null ? {} : { tokenExpiresAt: toTimestamp(new Date(tokenExpiresAt)) }),
    problems: problems.map(({ part, code, text, solution }) =>
      create(WabaProblemSchema, { part, errorCode: code, description: text, solution }),
    ),
  });
