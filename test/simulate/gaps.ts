// Promises that are known not to hold yet, each with its reason. They are counted and shown with every run; whatever is not here fails it.

export interface Gap {
  name: string;
  /** Complaints that it explains. */
  complaint: RegExp;
  why: string;
}

const gaps: readonly Gap[] = [];

export const gapOf = (complaint: string): Gap | null => gaps.find((gap) => gap.complaint.test(complaint)) ?? null;
