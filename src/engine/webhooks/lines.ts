// Rows that wait for one endpoint, and lines that wait for one host.

/** `commit`: stored just now. `table`: has waited there. Each has room of its own, so that the new can't keep the old out. */
export type Source = 'commit' | 'table';

export interface Line<Item> {
  id: string;
  /** null until it is known: until then nothing of the line starts. */
  host: HostLines<Item> | null;
  waiting: Record<Source, Item[]>;
  inFlight: number;
}

export type Kind = 'healthy' | 'troubled';

/** Lines that post to one host. */
export interface HostLines<Item> {
  name: string;
  lines: Set<Line<Item>>;
  waiting: Record<Source, number>;
  /** Those that could go on, but for what the host may get; in turn. */
  held: Record<Kind, Set<Line<Item>>>;
  /** Endpoints whose rows found no room here since the host's line was full. */
  turnedAway: Set<string>;
}

export const isWaiting = ({ waiting }: Line<unknown>): boolean => waiting.table.length + waiting.commit.length > 0;
