/**
 * Returns the milliseconds of processor time that this process has used so far. Other programs do not change it. The
 * kernel counts the sum exactly, but divides it between `user` and `system` by a sample every few milliseconds, and so
 * it counts the time of one thread.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
