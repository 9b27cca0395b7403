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

export const targets: Readonly<Record<string, Target>> = {
  verifications: ratioAtLeast(0.7),
  latency_p99_at_300: atMost(30),
  rest: ratioAtMost(3),
  grpc: ratioAtMost(2),
  smpp: atMost(8),
};
