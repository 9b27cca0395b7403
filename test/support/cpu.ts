/** Milliseconds of processor time that `run` takes on this thread: a machine that stands still meanwhile, or has other work, adds none. */
export function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
