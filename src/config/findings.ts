// What the cross checks collect.

import type { ConfigProblem } from './types.ts';

export interface Findings {
  errors: ConfigProblem[];
  warnings: ConfigProblem[];
}
