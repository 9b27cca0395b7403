// What an operator sends on its own: reports on our messages. One is acknowledged only once it is committed; when it cannot be, the SMSC is asked to
// send it again (SMPP v3.4 section 4.6.2).

import type { OperatorConfig } from '../../config.ts';
import { commandStatus, type Incoming, maskFrame } from '../../smpp/index.ts';
import type { ReceiptIntake } from '../channel.ts';
import { type Report, readReport } from './report.ts';

export interface Incomings {
  intake: ReceiptIntake;
  now(): number;
  /** Called for every deliver_sm and data_sm. */
  onReport(operator: string, report: Pick<Report, 'kind' | 'problems'>): void;
  onError(error: unknown, about: object, message: string): void;
}

/** Returns the command_status of the answer. */
export async function takeIn(
  incoming: Incoming,
  config: OperatorConfig,
  { intake, now, onReport, onError }: Incomings,
): Promise<{ status: number }> {
  const { id: operator } = config;
  try {
    const report = read(incoming, config, now());
    onReport(operator, report);
    if (report.kind === 'receipt') await intake.take(report.carrier);
    if (report.kind === 'unreadable') await intake.takeUnreadable(report.report);
    return { status: commandStatus.ROK };
  } catch (error) {
    onError(error, { operator }, 'report not stored: the operator is asked to send it again');
    return { status: commandStatus.RSYSERR };
  }
}

function read(incoming: Incoming, config: OperatorConfig, now: number): Report {
  let reason: string;
  if (incoming.kind === 'message') {
    const report = readReport(incoming.pdu, config, now);
    if (incoming.damage === undefined || report.kind === 'receipt') return report;
    reason = incoming.damage; // What makes it a receipt may be in the part that is damaged.
  } else reason = incoming.reason;
  const raw = maskFrame(incoming.frame).toString('hex');
  // No setting helps: the operator has to be asked.
  const problems = [{ kind: 'unreadable' as const, advice: null, detail: reason }];
  return { kind: 'unreadable', report: { operator: config.id, raw, reason, receivedAt: now }, problems };
}
