// From what single runs measured to the figures that are told: medians, ratios to a reference, spreads. Pure.

import { median, spread } from '../measure/statistics.ts';

/** One number of one run. */
export interface Sample {
  key: string;
  unit: string;
  value: number;
  /** The same of somebody else, measured right beside it. */
  reference?: number;
}

export interface Figure {
  value: number;
  unit: string;
  reference: number | null;
  /** Median of the runs' own ratios: what disturbs a run disturbs both of its halves. */
  ratio: number | null;
  /** Of the ratio where there is one, else of the value: (highest - lowest) / median. */
  spread: number;
}

export function figuresOf(samples: readonly Sample[]): Record<string, Figure> {
  const figures: Record<string, Figure> = {};
  for (const [key, runs] of Map.groupBy(samples, (sample) => sample.key)) {
    const values = runs.map((run) => run.value);
    const references = runs.flatMap(({ reference }) => (reference === undefined ? [] : [reference]));
    const ratios = runs.flatMap(({ value, reference }) => (reference === undefined ? [] : [value / reference]));
    figures[key] = {
      value: round(median(values)),
      unit: runs[0]?.unit ?? '',
      reference: references.length > 0 ? round(median(references)) : null,
      ratio: ratios.length > 0 ? round(median(ratios)) : null,
      spread: round(spread(ratios.length > 0 ? ratios : values)),
    };
  }
  return figures;
}

/** Three digits: more would be made up. */
const round = (value: number): number => Number(value.toPrecision(3));
