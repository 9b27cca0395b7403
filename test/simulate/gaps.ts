// Promises that are known not to hold yet, each with its reason. They are counted and shown with every run; whatever is not here fails it.

export interface Gap {
  name: string;
  /** Complaints that it explains. */
  complaint: RegExp;
  why: string;
}

const gaps: readonly Gap[] = [
  {
    name: 'a check by number, done by two processes, counts in two sessions',
    complaint: /^a check by number was done in two sessions$/,
    why: `Processes find the number's session before they hand a check over (engine/routing.ts). Here two processes do one check without that way, and each
looks for the session itself.`,
  },
];

export const gapOf = (complaint: string): Gap | null => gaps.find((gap) => gap.complaint.test(complaint)) ?? null;
