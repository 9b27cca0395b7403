// A part of the terminal that is drawn again and again in its place. Where the output is no terminal, only the last drawing is written,
// when all is over.

import { styleText } from 'node:util';
import type { Paint } from './marks.ts';

/** The parts of `process.stdout` that are needed. */
export interface Output {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
}

export interface Screen {
  readonly columns: number;
  /** Whether each drawing is seen, or the last one only. */
  readonly isLive: boolean;
  paint: Paint;
  /** Draws these lines in place of those before. */
  show(lines: readonly string[]): void;
  /** The last drawing stays. */
  end(): void;
}

/** What an output is that does not say how wide it is. */
const usualColumns = 80;
const styles = { good: 'green', bad: 'red', faint: 'dim' } as const;

export function screenOn(output: Output, env: NodeJS.ProcessEnv): Screen {
  const isLive = output.isTTY === true && env.TERM !== 'dumb';
  const isColoured = isLive && !env.NO_COLOR;
  let last: readonly string[] = [];
  let drawn = 0;
  const write = (lines: readonly string[]) => {
    // In one piece, so that nothing flickers.
    const back = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : '';
    output.write(back + lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  };
  return {
    get columns() {
      return output.columns || usualColumns;
    },
    isLive,
    paint: (tone, text) =>
      isColoured && tone !== 'neutral' ? styleText(styles[tone], text, { validateStream: false }) : text,
    show: (lines) => {
      last = lines;
      // What has scrolled out of a terminal can't be drawn over: of too much, its end is shown until all is over.
      if (isLive) write(lines.slice(-Math.max(1, (output.rows ?? 1_000) - 1)));
    },
    end: () => write(last),
  };
}
