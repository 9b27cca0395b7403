// What a figure should reach. Missing one is told in the table and fails nothing: machines differ.

import type { Figure } from './figures.ts';

interface Target {
  text: string;
  /** The same before one number had one owner, as it was measured then. */
  before?: string;
  reached(figure: Figure): boolean;
}

const ratioAtLeast = (least: number): Target => ({
  text: `≥ ${least} ×`,
  reached: ({ ratio }) => ratio !== null && ratio >= least,
});
const ratioAtMost = (most: number): Target => ({
  text: `≤ ${most} ×`,
  reached: ({ ratio }) => ratio !== null && ratio <= most,
});
const atMost = (most: number): Target => ({ text: `≤ ${most}`, reached: ({ value }) => value <= most });
const atLeast = (least: number): Target => ({ text: `≥ ${least}`, reached: ({ value }) => value >= least });

const aboveReference = (most: number): Target => ({
  text: `≤ reference + ${most}`,
  reached: ({ value, reference }) => reference !== null && value - reference <= most,
});
const was = (before: string, target: Target): Target => ({ ...target, before });

export const targets: Readonly<Record<string, Target>> = {
  verifications: ratioAtLeast(0.7),
  latency_p99_at_300: atMost(30),
  rest: ratioAtMost(3),
  grpc: ratioAtMost(2),
  smpp: atMost(8),
  calls_late_p99_at_200: atMost(10),
  calls_gap_at_200: atMost(60),
  calls_sent_at_1000: atLeast(99),
  calls_cpu_at_1000: atMost(50),
  answer_p99_beside_calls: ratioAtMost(1.2),
  processes_2: ratioAtMost(1.15),
  processes_4: was('1.8 ×', ratioAtMost(1.3)),
  processes_1_saturated: was('970', atMost(650)),
  processes_2_saturated: was('2.4 ×', ratioAtMost(1.6)),
  processes_4_saturated: was('4.9 ×', ratioAtMost(2.2)),
  rows_loaded_4: atMost(0.02),
  idle_1_server: was('5', atMost(1)),
  idle_1_statements: was('55', atMost(3)),
  idle_4_server: atMost(1),
  idle_4_statements: atMost(3),
  latency_p99_at_500: aboveReference(15),
  wal: was('14.7', atMost(9)),
  hot_verify_session: was('0.1', atLeast(80)),
  hot_webhook_delivery: was('0', atLeast(80)),
  postgres_default: was('2.8 ×', ratioAtMost(1.1)),
};
