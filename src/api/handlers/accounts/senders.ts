// SenderIdService: custom sender names of the caller's account and mode, and the operators' decisions about them. Operators have no key: an
// administrator records what they decided, here or on the command line.

import { create } from '@bufbuild/protobuf';
import type { SenderDecision } from '../../../core/accounts/sender-name.ts';
import { isId } from '../../../core/ids.ts';
import type { Accounts, SenderName } from '../../../engine/accounts/accounts.ts';
import { type SenderId, SenderIdSchema, SenderIdService } from '../../../gen/ramz/v1/sender_pb.ts';
import { actingOwnerOf, actorOf, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage, toTimestamp } from '../fields.ts';

export function senderIdService({ senders }: Pick<Accounts, 'senders'>): RegisteredService {
  return service(SenderIdService, {
    async createSenderId({ name }, context) {
      const outcome = await senders.request(actingOwnerOf(context), name);
      switch (outcome.kind) {
        case 'created':
          return { senderId: toSenderId(outcome.sender) };
        case 'invalid_name':
          throw fail('invalid_argument', nameRule, { field: 'name' });
        case 'exists':
          throw fail('sender_id_exists', `the account has the sender name ${name} already`, { field: 'name' });
        case 'too_many':
          throw fail('too_many_resources', `an account has at most ${outcome.most} sender names in each mode`);
      }
    },

    async getSenderId({ id }, context) {
      const sender = isId(idPrefix, id) ? await senders.get(keyOf(context), id) : undefined;
      if (!sender) throw notFound();
      return { senderId: toSenderId(sender) };
    },

    async listSenderIds(request, context) {
      const owner = keyOf(context);
      const list = ['sender_ids', owner.accountId, owner.mode];
      const { limit, before } = readPage(request, idPrefix, list);
      const { items, next } = cutPage(await senders.list(owner, { limit: limit + 1, before }), limit);
      return { senderIds: items.map(toSenderId), nextPageToken: nextPageToken(next, list) };
    },

    async decideSenderId({ id, operator, status, reason }, context) {
      if (!isId(idPrefix, id)) throw notFound();
      const request = { senderId: id, operator, decision: status as SenderDecision, reason, actor: actorOf(context) };
      const outcome = await senders.decide(request);
      switch (outcome.kind) {
        case 'decided':
          return { senderId: toSenderId(outcome.sender) };
        case 'sender_not_found':
          throw notFound();
        case 'operator_not_found':
          throw fail('operator_not_found', `no operator ${operator} is configured`, { field: 'operator' });
        case 'not_allowed':
          throw fail('already_decided', `what is ${outcome.status} can not be ${status}`, { field: 'status' });
      }
    },
  });
}

const idPrefix = 'snd_';

const nameRule =
  'name must have 1 to 11 characters, at least one of them a letter: letters and digits, with single spaces, - . or & between them';

const notFound = () => fail('sender_id_not_found', 'no such sender name in this account and mode');

function toSenderId({ id, name, created_at, due_at, decisions }: SenderName): SenderId {
  return create(SenderIdSchema, {
    id,
    name,
    createdAt: toTimestamp(created_at),
    dueAt: toTimestamp(due_at),
    decisions: decisions.map(({ operator, status, reason, submitted_at, decided_at }) => ({
      operator,
      status,
      reason: reason ?? '',
      submittedAt: toTimestamp(submitted_at),
      decidedAt: toTimestamp(decided_at),
    })),
  });
}
