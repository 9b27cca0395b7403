// Every migration, oldest first. A new one is a file `NNNN_what_it_does.ts` beside this one and a line at the end.

import * as beginning from './0001_beginning.ts';
import * as wabaHealth from './0002_waba_health.ts';
import * as accountWording from './0003_account_wording.ts';
import * as customCode from './0004_custom_code.ts';
import * as cellName from './0005_cell_name.ts';
import * as messageRefusals from './0006_message_refusals.ts';
import * as keyNumbers from './0007_key_numbers.ts';
import * as accountApproval from './0008_account_approval.ts';
import * as sessionMetadata from './0009_session_metadata.ts';
import * as administrator from './0010_administrator.ts';
import * as auditEvent from './0011_audit_event.ts';
import * as sendSignals from './0012_send_signals.ts';
import * as budget from './0013_budget.ts';
import * as guard from './0014_guard.ts';
import * as keyUse from './0017_key_use.ts';
import * as accountClosing from './0018_account_closing.ts';
import * as claimedCodes from './0020_claimed_codes.ts';
import * as appRecipient from './0022_app_recipient.ts';
import * as wabaStepTimes from './0023_waba_step_times.ts';
import * as signupMaker from './0024_signup_maker.ts';
import * as accountWaiting from './0025_account_waiting.ts';
import * as referenceMessage from './0026_reference_message.ts';
import * as rollupMinutes from './0027_rollup_minutes.ts';
import * as processRetention from './0028_process_retention.ts';
import * as ownerFunctions from './0029_owner_functions.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  // One line each.
  { name: '0001_beginning', up: beginning.up },
  { name: '0002_waba_health', up: wabaHealth.up },
  { name: '0003_account_wording', up: accountWording.up },
  { name: '0004_custom_code', up: customCode.up },
  { name: '0005_cell_name', up: cellName.up },
  { name: '0006_message_refusals', up: messageRefusals.up },
  { name: '0007_key_numbers', up: keyNumbers.up },
  { name: '0008_account_approval', up: accountApproval.up },
  { name: '0009_session_metadata', up: sessionMetadata.up },
  { name: '0010_administrator', up: administrator.up },
  { name: '0011_audit_event', up: auditEvent.up },
  { name: '0012_send_signals', up: sendSignals.up },
  { name: '0013_budget', up: budget.up },
  { name: '0014_guard', up: guard.up },
  { name: '0017_key_use', up: keyUse.up },
  { name: '0018_account_closing', up: accountClosing.up },
  { name: '0020_claimed_codes', up: claimedCodes.up },
  { name: '0022_app_recipient', up: appRecipient.up },
  { name: '0023_waba_step_times', up: wabaStepTimes.up },
  { name: '0024_signup_maker', up: signupMaker.up },
  { name: '0025_account_waiting', up: accountWaiting.up },
  { name: '0026_reference_message', up: referenceMessage.up, inTransaction: false },
  { name: '0027_rollup_minutes', up: rollupMinutes.up, inTransaction: false },
  { name: '0028_process_retention', up: processRetention.up },
  { name: '0029_owner_functions', up: ownerFunctions.up },
];

/** The first migration of databases that were made before the first release. Nothing leads from them to these migrations. */
export const unreleased = '0001_initial';
