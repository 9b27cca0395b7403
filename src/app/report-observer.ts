// The observers of what operators send: count each deliver_sm, and say what of it is not understood with the setting that would read it; count
// what should not come at all. A line is written once, or once an hour where its cause may come and go: an operator sends hundreds of receipts
// a second.

import type { Report } from '../channels/sms/report.ts';
import type { Oddity } from '../smpp/index.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Seldom } from '../time/seldom.ts';
import { hourMs, isAhead } from '../time/wall-clock.ts';

interface ReportObserverParts {
  metrics: Pick<Metrics, 'deliveries' | 'receiptProblems'>;
  logger: Pick<Logger, 'warn'>;
  /** Unix ms. */
  now(): number;
}

/** Different lines for each operator: a stranger may make up words without end. */
const maxLines = 100;
const againMs = hourMs;

export function reportObserver({ metrics, logger, now }: ReportObserverParts) {
  /** When each line was last written, by operator and then by line. */
  const written = new Map<string, Map<string, number>>();
  const isNew = (operator: string, line: string, again: boolean): boolean => {
    const lines = written.get(operator) ?? new Map<string, number>();
    written.set(operator, lines);
    const last = lines.get(line);
    if (last === undefined ? lines.size >= maxLines : !again || isAhead(last + againMs, now(), againMs)) return false;
    lines.set(line, now());
    return true;
  };

  return (operator: string, { kind, problems }: Pick<Report, 'kind' | 'problems'>): void => {
    metrics.deliveries.inc({ operator, kind });
    for (const { kind: problem, advice, detail } of problems) {
      metrics.receiptProblems.inc({ operator, problem });
      if (!isNew(operator, advice ?? problem, problem !== 'word')) continue;
      const what = advice === null ? 'can not be decoded: ask the operator' : `is not understood: ${advice}`;
      logger.warn({ operator, problem, detail }, `a report of the operator ${what} (docs/operators.md)`);
    }
  };
}

interface OddityObserverParts {
  metrics: Pick<Metrics, 'oddities'>;
  logger: Pick<Logger, 'warn'>;
  /** Unix ms. */
  now(): number;
}

/** Some SMSCs send one for every phone that is switched on, or end every receipt with a stray octet. */
const harmless: ReadonlySet<Oddity> = new Set(['alert_notification', 'outbind', 'damaged_options']);

/** One line an hour for each operator and oddity: an SMSC that answers every message twice would fill a disk. */
export function oddityObserver({ metrics, logger, now }: OddityObserverParts) {
  const lines = new Seldom(now);
  return (operator: string, bind: number, oddity: Oddity, detail: string): void => {
    metrics.oddities.inc({ operator, oddity });
    if (harmless.has(oddity) || !lines.isDue(`${operator} ${oddity}`, againMs)) return;
    logger.warn(
      { operator, bind, oddity, detail },
      'oddity on the wire: ramz_smpp_oddities_total counts it, and this line comes once an hour at most',
    );
  };
}
