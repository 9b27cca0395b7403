// What a figure should reach. Missing one is told in the table and fails nothing: machines differ.

import type { Figure } from './figures.ts';

interface Target {
  text: string;
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
};
