// The promises about receipts: one that was acknowledged is stored, and with a message to its own phone.
import type { Complain } from './promises.ts';
import type { World } from './world.ts';

/** With its own message, or with another of its phone where its id is not known: its time tells. */
export function receiptsAreKept({ tables, receipts }: World, complain: Complain): void {
  for (const { message, receipt, acknowledged } of receipts.given) {
    if (!acknowledged) continue;
    const isStored = [...tables.sessions.values()].some(({ receipts: stored }) =>
      stored.some(
        ({ status, operatorTimestamp: at }) =>
          status === receipt.receipt.status && at === receipt.receipt.operatorTimestamp,
      ),
    );
    const isParked = [...tables.parked.values()].some(
      (row) => row.operator === receipt.operator && row.receipt?.references[0] === receipt.references[0],
    );
    if (!isStored && !isParked)
      complain(`the receipt ${receipt.receipt.status} of ${message.id} was acknowledged and is lost`);
  }
}

/** Operators give the same ids, each to messages of its own. */
export function receiptsAreOfTheirPhones({ tables, receipts }: World, complain: Complain): void {
  for (const { session, receipts: stored } of tables.sessions.values()) {
    for (const { status, operatorTimestamp: at, providerMessageId, messageId } of stored) {
      const same = receipts.given.filter(
        ({ receipt: { receipt } }) =>
          receipt.status === status &&
          receipt.operatorTimestamp === at &&
          receipt.providerMessageId === providerMessageId,
      );
      if (same.length > 0 && !same.some(({ message }) => message.to === session.to))
        complain(`${messageId} has the receipt ${status} of another phone`);
    }
  }
}
