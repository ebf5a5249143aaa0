/**
 * Returns the milliseconds of processor time that this process has used so far. Other programs do not change it. The
 * kernel counts this sum exactly. The share of `user` is a sample, and the time of one thread moves in steps of some
 * milliseconds.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
