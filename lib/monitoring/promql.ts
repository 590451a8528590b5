/** Rate per second of a counter, summed by labels. */
export const rate = (by: string, series: string): string => `sum by (${by}) (rate(${series}[5m]))`;

/** A quantile of a histogram, by labels. */
export const quantile = (q: number, by: string, histogram: string, series: string): string =>
  `histogram_quantile(${q}, sum by (${by}, le) (rate(${histogram}_bucket${series}[5m])))`;

/** What one in a hundred of a histogram exceeds, by labels. */
export const slowest = (by: string, histogram: string, series: string): string => quantile(0.99, by, histogram, series);

/** The same of each series by itself, with all of its labels. */
export const slowestOfEach = (histogram: string, series: string): string =>
  `histogram_quantile(0.99, rate(${histogram}_bucket${series}[5m]))`;
