// Looking at processes by their number.
import { commandOf } from '../../src/db/embedded/cluster.ts';

/**
 * Whether the process runs. One whose end has begun does not: its memory goes first, and its command with it. So does that of a zombie, which in
 * a container without an init nobody may ever reap.
 */
export const isRunning = (pid: number): boolean => Boolean(commandOf(pid));
