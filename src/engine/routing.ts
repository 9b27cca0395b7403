// The routing of calls to the owner of their number, which does the work from memory. Where that is this process, or no process, or one that
// does not answer, the work is done here on what is stored. A call has an id, so that it counts once even if both have done it.

import { randomBytes } from 'node:crypto';
import type { ZodType } from 'zod';
import type { CarrierReceipt, KnownIntake } from '../channels/channel.ts';
import { type IdSource, isId, shardForNumber, shardOf } from '../core/ids.ts';
import { readNumber } from '../core/verify/request.ts';
import type { Found } from '../db/receipts/receipts.ts';
import type { Engine } from './engine.ts';
import type { Conversation } from './fleet/conversation.ts';
import type { Owners } from './fleet/owners.ts';
import type { StuckOwners } from './fleet/stuck-owners.ts';
import * as schemas from './peer-schemas.ts';
import type { Receipts } from './receipts/receipts.ts';
import type { References } from './receipts/references.ts';
import { type Checker, shardOfTarget } from './verify/check.ts';
import { isSessionId } from './verify/lookup.ts';
import type { OwnCalls } from './verify/own-calls.ts';

export interface RoutingParts {
  /** The work itself, as this process does it. */
  face: Engine;
  receipts: Receipts;
  references: References;
  checker: Pick<Checker, 'find'>;
  stuckOwners: Pick<StuckOwners, 'ask'>;
  calls: Pick<OwnCalls, 'ended'>;
  processId: string;
  conversation: Conversation;
  owners: Pick<Owners, 'ownerOf'>;
  ids: IdSource;
}

/** Octets of a check's id. */
const operationOctets = 8;

export class Routing {
  readonly #parts: RoutingParts;

  constructor(parts: RoutingParts) {
    this.#parts = parts;
    const { conversation, face, receipts } = parts;
    conversation.serve('send', async (value) => face.send(schemas.sendRequest.parse(value)));
    conversation.serve('check', async (value) => face.check(schemas.checkRequest.parse(value)));
    conversation.serve('cancel', async (value) => face.cancel(schemas.cancelRequest.parse(value)));
    conversation.serve('receipt', async (value) => {
      const { carrier, found } = schemas.askedReceipt.parse(value);
      return receipts.takeOwn(carrier, found);
    });
  }

  /** The face of the engine, each call of which is done where its number is owned. */
  face(): Engine {
    const { face, checker, ids } = this.#parts;
    return {
      ...face,
      send: (request) => {
        const number = readNumber(request.to);
        if (number.kind === 'refused') return face.send(request);
        const shard = shardForNumber(number.e164);
        const asked = { ...request, operation: ids('vrf_', shard) };
        return this.#atOwner(shard, 'send', asked, schemas.sendResult, (isAskedBefore) =>
          face.send({ ...asked, isAskedBefore }),
        );
      },
      check: async (request) => {
        const shard = shardOfTarget(request.target);
        if (shard === null || this.#otherOwner(shard) === null) return face.check(request);
        // The session is named, or a second process that does the call could find the number's next one.
        const target = await checker.find(request);
        if (target.kind !== 'found') return face.check(request);
        const operation = randomBytes(operationOctets).toString('hex');
        const asked = { ...request, target: { id: target.id }, operation };
        return this.#atOwner(shard, 'check', asked, schemas.checkResult, () => face.check(asked));
      },
      cancel: (request) => {
        if (!isSessionId(request.id)) return face.cancel(request);
        return this.#atOwner(shardOf(request.id), 'cancel', request, schemas.cancelResult, () => face.cancel(request));
      },
    };
  }

  /** The intake of receipts, each of which goes to the owner of its number. */
  intake(): KnownIntake {
    const { receipts, calls } = this.#parts;
    return {
      take: async (carrier) => {
        if (!(await this.#takenElsewhere(carrier))) return receipts.take(carrier);
        const call = carrier.receipt.call?.ended ? echoedMessage(carrier) : undefined;
        if (call !== undefined) calls.ended(call);
      },
      takeKnown: async (carrier) => (await this.#takenElsewhere(carrier)) || receipts.takeKnown(carrier),
      takeUnreadable: (report) => receipts.takeUnreadable(report),
      takeLateAnswer: (answer) => receipts.takeLateAnswer(answer),
      takeAnswered: (answered) => receipts.takeAnswered(answered),
    };
  }

  /** The other process that owns the shard; null where this one does, or none does. */
  #otherOwner(shard: number): string | null {
    const owner = this.#parts.owners.ownerOf(shard);
    return owner === this.#parts.processId ? null : owner;
  }

  /** The result of the owner's work; of `work` where there is no other owner, or it gives no answer that fits. */
  async #atOwner<Result>(
    shard: number,
    verb: string,
    asked: object,
    schema: ZodType<Result>,
    work: (isAskedBefore: boolean) => Promise<Result>,
  ): Promise<Result> {
    const owner = this.#otherOwner(shard);
    if (owner === null) return work(false);
    const said = await this.#parts.stuckOwners.ask(owner, verb, asked, shard);
    if (said?.kind !== 'answered') return work(true);
    const result = schema.safeParse(said.value);
    return result.success ? result.data : work(true);
  }

  /** Whether the owner of the receipt's number has taken it in. */
  async #takenElsewhere(carrier: CarrierReceipt): Promise<boolean> {
    const { references } = this.#parts;
    const known = references.recall(carrier);
    if (known) return this.#takenAt(shardOf(known.id), carrier, known);
    const shard = this.#shardOfReceipt(carrier);
    if (shard !== null) {
      if (this.#otherOwner(shard) === null) return false;
      if (await this.#takenAt(shard, carrier, null)) return true;
    }
    // The owner does not know it, or none is named: the message is looked up, and its owner has it in memory.
    const found = await references.find(carrier);
    return found !== null && (await this.#takenAt(shardOf(found.id), carrier, found));
  }

  #takenAt(shard: number, carrier: CarrierReceipt, found: Found | null): Promise<boolean> {
    return this.#atOwner(shard, 'receipt', { carrier, found }, schemas.receiptResult, async () => false);
  }

  /** By our own message id, where the carrier brings it back; else by the phone. */
  #shardOfReceipt(carrier: CarrierReceipt): number | null {
    const echoed = echoedMessage(carrier);
    if (echoed !== undefined) return shardOf(echoed);
    return carrier.number === null ? null : shardForNumber(carrier.number);
  }
}

/** Our own id of the message, where the carrier brings one back. Another system that sends by the same platform may have put anything there. */
const echoedMessage = ({ references }: CarrierReceipt): string | undefined =>
  references.map((reference) => / (\w+)$/.exec(reference)?.[1]).find((id) => isId('msg_', id));
