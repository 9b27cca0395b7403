// What the programs for developers may be told. What is wrong is said in a line below the usage, and the program ends with 2 before it has begun.
import { type Options, Refusal, readWords } from '../src/cli/command.ts';

export interface Bounds {
  least: number;
  /** Default: none. */
  most?: number;
}

/** Reads the words of this process; `takes` as of `readWords`. `--help` prints the usage and ends it with 0. */
export function readOptions<Known extends Options>(usage: string, options: Known, takes: readonly string[] = []) {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  const refuse = (message: string): never => {
    console.error(`${usage}\n\n${message}`);
    process.exit(2);
  };
  const read = () => {
    try {
      return readWords(args, options, takes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return refuse(error.message);
    }
  };
  const { values, words } = read();
  return {
    values,
    words,
    /** Ends the process with 2. */
    refuse,
    /** The whole number that an option has, or `fallback` where it was not given. */
    whole(name: string, { least, most = Number.MAX_SAFE_INTEGER }: Bounds, fallback: number): number {
      const text = (values as Record<string, unknown>)[name] ?? fallback;
      const value = text === '' ? Number.NaN : Number(text);
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      return refuse(`--${name} must be a whole number ${range}`);
    },
  };
}
