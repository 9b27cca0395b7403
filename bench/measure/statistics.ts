// Medians, quantiles and spreads. Pure.

/** The value below which that share of the values lies (nearest rank); NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** The same of values that were counted by classes: the end of the class in which it lies, in classes; NaN of nothing. */
export function quantileOfClasses(counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let left = Math.max(1, Math.ceil(share * total));
  for (const [index, count] of counts.entries()) {
    left -= count;
    if (left <= 0) return index + 1;
  }
  return Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Highest less lowest, as a share of the median: 0.1 = the runs lie within 10 %. */
export function spread(values: readonly number[]): number {
  const range = Math.max(...values) - Math.min(...values);
  return range === 0 ? 0 : range / median(values);
}
