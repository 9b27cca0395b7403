// What makes one operator's SMSC different from another's. The three examples are in ../operators.ts.

import type { ReceiptStyle } from './receipt.ts';
import type { SubmitRules } from './submit.ts';

export interface SmscProfile extends SubmitRules {
  /** The operator's id in the server's configuration. */
  id: string;
  name: string;
  /** The one account this SMSC knows. */
  systemId: string;
  password: string;
  receipt: ReceiptStyle;
}
