// One lane of the picture: a bar over the time its leg was under way, the window that its receipt is waited for, its marks, and labels
// under them.

import type { Lane, Mark } from '../../../src/story/story.ts';
import type { Axis } from './axis.ts';
import { type Description, labelOf, weightOf } from './describe.ts';
import { MarkButton } from './mark.tsx';
import styles from './picture.module.css';
import { placeLabels, spread } from './place.ts';

/** From mark to mark: WCAG 2.2 asks for 24 px of a target, or around it. */
const fingerPx = 24;

/** The begin of a bar says itself. */
const isDrawn = ({ kind }: Mark) => kind !== 'started' && kind !== 'opened';

export interface Strip {
  marks: readonly Mark[];
  startMs: number;
  /** The end of the solid bar. */
  endMs: number;
  /** How the bar looks. */
  outcome: string;
  /** The end of the window that follows the bar; null for none. */
  windowMs: number | null;
  windowText?: string;
}

export interface Drawing {
  axis: Axis;
  language: Parameters<typeof labelOf>[1];
  about(mark: Mark): Description;
}

/** A line of the picture without its heading. */
export function StripView({ strip, drawing }: { strip: Strip; drawing: Drawing }) {
  const { axis, language, about } = drawing;
  const marks = strip.marks.filter(isDrawn).toSorted((a, b) => a.atMs - b.atMs);
  const places = spread(
    marks.map(({ atMs }) => axis.at(atMs)),
    fingerPx,
    axis.widthPx,
  );
  const labels = grouped(
    marks.map((mark, index) => ({ mark, text: labelOf(mark, language), px: places[index] as number })),
  );
  const edges = placeLabels(
    labels.map(({ mark, text, px }) => ({ px, widthPx: textPx(text), weight: weightOf(mark) })),
    axis.widthPx,
  );
  const from = axis.at(strip.startMs);
  const to = Math.max(axis.at(strip.endMs), from + 6);
  const last = Math.max(to, ...places);
  const windowTo = strip.windowMs === null ? to : axis.at(strip.windowMs);
  return (
    <div className={styles.strip} data-outcome={strip.outcome}>
      <div className={styles.track}>
        <span className={styles.rail} style={{ insetInlineStart: to, width: last - to }} />
        {windowTo - to > 2 && (
          <span className={styles.window} style={{ insetInlineStart: to, width: windowTo - to }}>
            {windowTo - to > 90 && <span className={styles.windowText}>{strip.windowText}</span>}
          </span>
        )}
        <span className={styles.bar} style={{ insetInlineStart: from, width: to - from }} />
        {marks.map((mark, index) => (
          <MarkButton
            key={`${mark.atMs} ${mark.kind} ${mark.word}`}
            mark={mark}
            px={places[index] as number}
            about={about}
          />
        ))}
      </div>
      {labels.length > 0 && (
        <div className={styles.labels} aria-hidden="true">
          {labels.map(({ mark, text }, index) => {
            const edge = edges[index];
            return edge == null ? null : (
              <span
                key={`${mark.atMs} ${mark.kind} ${text}`}
                data-tone={mark.tone}
                data-kind={mark.kind}
                style={{ insetInlineStart: edge, maxWidth: axis.widthPx - edge }}
              >
                {text}
              </span>
            );
          })}
        </div>
      )}
    </div>
  );
}

interface Label {
  mark: Mark;
  text: string;
  px: number;
}

/** The labels that say something; those of neighbours that say the same as one, with their number. */
function grouped(labels: readonly Label[]): Label[] {
  const groups: Label[][] = [];
  for (const label of labels.filter(({ text }) => text !== '')) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before?.text === label.text && label.px - before.px < textPx(label.text)) group.push(label);
    else groups.push([label]);
  }
  return groups.map((group) => {
    const [first, last] = [group[0] as Label, group.at(-1) as Label];
    return group.length === 1
      ? first
      : { ...first, text: `${first.text} × ${group.length}`, px: (first.px + last.px) / 2 };
  });
}

/** Near enough for the small type of the labels, which nothing depends on but their distance. */
const textPx = (text: string): number => 6.6 * [...text].length + 8;

/** Where the solid bar of a lane ends: its leg, or the call that goes on after it. */
export function barEnd({ endMs, marks, isCallUp, channel }: Lane, nowMs: number): number {
  if (endMs === null || isCallUp) return nowMs;
  if (channel !== 'voice') return endMs;
  return Math.max(endMs, ...marks.map(({ atMs }) => atMs));
}
