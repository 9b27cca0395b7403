// A part of the terminal that is drawn again and again in its place. Where the output is no terminal, only the last drawing is written,
// when all is over.

import { stripVTControlCharacters, styleText } from 'node:util';
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
  const columns = () => output.columns || usualColumns;
  /** A line that is longer than the terminal is wide goes on in the next row. */
  const rowsOf = (line: string) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns()));
  const height = (lines: readonly string[]) => lines.reduce((rows, line) => rows + rowsOf(line), 0);
  const write = (lines: readonly string[]) => {
    // In one piece, so that nothing flickers.
    const back = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : '';
    output.write(back + lines.map((line) => `${line}\n`).join(''));
    drawn = height(lines);
  };
  /** The last of the lines that the terminal has room for. */
  const shown = (lines: readonly string[]) => {
    const most = Math.max(1, (output.rows ?? 1_000) - 1);
    const from = lines.findIndex((_, index) => height(lines.slice(index)) <= most);
    return from === -1 ? lines.slice(-1) : lines.slice(from);
  };
  return {
    get columns() {
      return columns();
    },
    isLive,
    paint: (tone, text) =>
      isColoured && tone !== 'neutral' ? styleText(styles[tone], text, { validateStream: false }) : text,
    show: (lines) => {
      last = lines;
      // What has scrolled out of a terminal can't be drawn over: of too much, its end is shown until all is over.
      if (isLive) write(shown(lines));
    },
    end: () => write(last),
  };
}
