// Every migration, oldest first. A new one is a file `NNNN_what_it_does.ts` beside this one and a line at the end.

import * as initial from './0001_initial.ts';
import * as webhookHolder from './0002_webhook_holder.ts';
import * as waba from './0003_waba.ts';
import * as sessionNumber from './0004_session_number.ts';
import * as processRoutes from './0005_process_routes.ts';
import * as numberFirst from './0006_number_first.ts';
import * as numberLimits from './0007_number_limits.ts';
import * as sessionSalt from './0008_session_salt.ts';
import * as suspension from './0009_suspension.ts';
import * as accountAutofill from './0012_account_autofill.ts';
import * as sessionClientReference from './0013_session_client_reference.ts';
import * as projections from './0014_projections.ts';
import * as messageCall from './0015_message_call.ts';
import * as receiptCall from './0016_receipt_call.ts';
import * as messageHolder from './0017_message_holder.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  { name: '0001_initial', up: initial.up },
  { name: '0002_webhook_holder', up: webhookHolder.up },
  { name: '0003_waba', up: waba.up },
  { name: '0004_session_number', up: sessionNumber.up },
  { name: '0005_process_routes', up: processRoutes.up },
  { name: '0006_number_first', up: numberFirst.up },
  { name: '0007_number_limits', up: numberLimits.up },
  { name: '0008_session_salt', up: sessionSalt.up },
  { name: '0009_suspension', up: suspension.up },
  { name: '0012_account_autofill', up: accountAutofill.up },
  { name: '0013_session_client_reference', up: sessionClientReference.up, inTransaction: false },
  { name: '0014_projections', up: projections.up },
  { name: '0015_message_call', up: messageCall.up },
  { name: '0016_receipt_call', up: receiptCall.up },
  { name: '0017_message_holder', up: messageHolder.up, inTransaction: false },
];
