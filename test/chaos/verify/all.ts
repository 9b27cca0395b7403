// Every promise, checked.
import type { Evidence } from '../evidence.ts';
import { verifyAnswers } from './answers.ts';
import { verifyBinds } from './binds.ts';
import { verifyChecks } from './checks.ts';
import { verifyCosts } from './costs.ts';
import { verifySessions } from './sessions.ts';
import { verifySubmits } from './submits.ts';
import { verifyTimers } from './timers.ts';
import type { Violation } from './violation.ts';
import { verifyWebhooks } from './webhooks.ts';

export const verifyAll = (evidence: Evidence): Violation[] =>
  [
    verifySessions,
    verifySubmits,
    verifyChecks,
    verifyWebhooks,
    verifyCosts,
    verifyTimers,
    verifyBinds,
    verifyAnswers,
  ].flatMap((verify) => verify(evidence));
