/** `share` is between 0 and 1: 0.99 is the 99th percentile. */
export const quantile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  if (sorted.length % 2 === 1) return sorted[Math.floor(half)] ?? Number.NaN
  return ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2
}
