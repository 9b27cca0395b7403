// OperatorService: the operators of the deployment, controlled with an administrator's token.

import { create } from '@bufbuild/protobuf';
import type { OperatorListed, Operators, Ordered, ParkedShown } from '../../../engine/operators/operators.ts';
import {
  type Operator,
  OperatorSchema,
  OperatorService,
  type ParkedReceipt,
  ParkedReceiptSchema,
} from '../../../gen/ramz/v1/operator_pb.ts';
import { actorOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage, toTimestamp } from '../fields.ts';

export function operatorService(operators: Operators): RegisteredService {
  return service(OperatorService, {
    async listOperators() {
      return { operators: (await operators.list()).map(toOperator) };
    },

    async pauseOperator({ id, reason }, context) {
      return { operator: orderedOf(id, await operators.pause(id, reason.trim(), actorOf(context))) };
    },

    async resumeOperator({ id }, context) {
      return { operator: orderedOf(id, await operators.resume(id, actorOf(context))) };
    },

    async rebindOperator({ id, slot }, context) {
      return { operator: orderedOf(id, await operators.rebind(id, slot ?? null, actorOf(context))) };
    },

    async listParkedReceipts(request) {
      const { operator } = request;
      const list = ['parked_receipts', operator];
      const { limit, before } = readPage(request, idPrefix, list);
      const asked = { operator: operator === '' ? null : operator, before, limit: limit + 1 };
      const { items, next } = cutPage(await operators.parked(asked), limit);
      return { parkedReceipts: items.map(toParked), nextPageToken: nextPageToken(next, list) };
    },
  });
}

const idPrefix = 'prk_';

function orderedOf(id: string, ordered: Ordered): Operator {
  if (ordered.kind === 'ordered') return toOperator(ordered.operator);
  if (ordered.kind === 'slot_not_found')
    throw fail('invalid_argument', `slot must be one of ${ordered.slots.join(', ')}`, { field: 'slot' });
  throw fail('operator_not_found', `no operator ${id} is configured`, { field: 'id' });
}

function toOperator({ id, name, prefixes, pause, binds, parked }: OperatorListed): Operator {
  return create(OperatorSchema, {
    id,
    name,
    prefixes: [...prefixes],
    pausedAt: toTimestamp(pause?.since ?? null),
    pauseReason: pause?.reason ?? '',
    binds,
    parkedUnmatched: parked.unmatched,
    parkedUnreadable: parked.unreadable,
  });
}

function toParked({
  id,
  operator,
  reason,
  providerMessageId,
  to,
  status,
  receivedAt,
  raw,
}: ParkedShown): ParkedReceipt {
  return create(ParkedReceiptSchema, {
    id,
    operator,
    reason,
    providerMessageId: providerMessageId ?? '',
    to,
    status: status ?? '',
    receivedAt: toTimestamp(receivedAt),
    raw,
  });
}
