// Promises that are known not to hold yet, each with its reason. They are counted and shown with every run; whatever is not here fails it.

export interface Gap {
  name: string;
  /** Complaints that it explains. */
  complaint: RegExp;
  why: string;
}

/** Of a message that was written within `mostPauseMs` of being given up. */
export const endedEarly = "its writer's lease had ended before its time";

const gaps: readonly Gap[] = [
  {
    name: 'a message is written just after another process has given it up',
    complaint: new RegExp(`was written after it was given up: ${endedEarly}$`),
    why: 'a process can not know that its lease has ended before its time; a stand-still between its commit and its write shows only after mostPauseMs',
  },
];

export const gapOf = (complaint: string): Gap | null => gaps.find((gap) => gap.complaint.test(complaint)) ?? null;
