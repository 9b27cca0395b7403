// The record of a link: the part of its row that outcomes change.

import type { WabaLink } from '../../core/waba/link.ts';
import { record } from '../record.ts';

export const link = record<WabaLink>()({
  status: 'text',
  step: 'text',
  reason: 'text',
  errorCode: 'text',
  attempts: 'integer',
  nextAt: 'ms',
  createdAt: 'ms',
  connectedAt: 'ms',
  codeExpiresAt: 'ms',
  templates: 'json',
});

/** What an outcome stores; the times of the next step and of the code are the step's own. */
export const storedLink = link.omit('nextAt', 'createdAt', 'codeExpiresAt');
