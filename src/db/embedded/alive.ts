// Whether a process is there.

/** By its number. One that belongs to somebody else is there, too; so is one that has ended and was not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
