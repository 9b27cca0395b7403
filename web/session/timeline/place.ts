// Places on a line that do not cover each other: marks that happened at nearly the same time stand side by side, in their order.

/** The middles of things of equal width, each as near to where it belongs as the others and the ends of the line let it. */
export function spread(middles: readonly number[], widthPx: number, linePx: number): number[] {
  const half = widthPx / 2;
  const places: number[] = [];
  for (const [index, middle] of middles.entries()) {
    const least = index === 0 ? half : (places[index - 1] as number) + widthPx;
    places.push(Math.max(middle, least));
  }
  let most = linePx - half;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] as number, most);
    most = (places[index] as number) - widthPx;
  }
  return places;
}

export interface Label {
  /** Where it belongs. */
  px: number;
  widthPx: number;
  /** Less important ones go first where there is no room. */
  weight: number;
}

/** The left edge of each label, in the order given (by `px`); null for one without room. */
export function placeLabels(labels: readonly Label[], linePx: number, gapPx = 6): (number | null)[] {
  const kept = new Set(labels.keys());
  const widthOf = () => [...kept].reduce((sum, index) => sum + (labels[index] as Label).widthPx + gapPx, -gapPx);
  while (kept.size > 1 && widthOf() > linePx) {
    kept.delete([...kept].reduce((a, b) => ((labels[b] as Label).weight < (labels[a] as Label).weight ? b : a)));
  }
  const order = [...kept];
  const edges: number[] = [];
  for (const index of order) {
    const { px, widthPx } = labels[index] as Label;
    const before =
      edges.length === 0
        ? 0
        : (edges.at(-1) as number) + (labels[order[edges.length - 1] as number] as Label).widthPx + gapPx;
    edges.push(Math.max(px - widthPx / 2, before));
  }
  let most = linePx;
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const { widthPx } = labels[order[at] as number] as Label;
    edges[at] = Math.max(0, Math.min(edges[at] as number, most - widthPx));
    most = (edges[at] as number) - gapPx;
  }
  return labels.map((_, index) => {
    const at = order.indexOf(index);
    return at < 0 ? null : (edges[at] as number);
  });
}
