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
    why: `Each process looks for the number's session itself. Where a send opens the next one in between, the second process finds that one,
which does not know the operation. Whoever has another process do a check must have found its session first, and hand over the id.`,
  },
  {
    name: 'a send that two processes do, one of them seconds late, opens a second session',
    complaint: /^operation \d+ was answered in two ways: \{"id"/,
    why: `A resend leaves its operation in the timeline of the pending session. Where that session is over before the late process comes, it
finds none pending, and opens one. A process that was frozen must not do a call that another one has answered: the fence of owners.`,
  },
];

export const gapOf = (complaint: string): Gap | null => gaps.find((gap) => gap.complaint.test(complaint)) ?? null;
