// What the programs for developers may be told. What is wrong is said in a line below the usage, and the program ends with 2 before it has begun.
import { type ParseArgsConfig, parseArgs } from 'node:util';

export interface Bounds {
  least: number;
  /** Default: none. */
  most?: number;
}

/** Reads the words of this process. `--help` prints the usage and ends it with 0. */
export function readOptions<Config extends ParseArgsConfig>(usage: string, config: Config) {
  if (process.argv.slice(2).includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  const refuse = (message: string): never => {
    console.error(`${usage}\n\n${message}`);
    process.exit(2);
  };
  const parsed = (() => {
    try {
      return parseArgs(config);
    } catch (error) {
      return refuse((error as Error).message);
    }
  })();
  return {
    ...parsed,
    /** Ends the process with 2. */
    refuse,
    /** The whole number that an option has, or `fallback` where it was not given. */
    whole(name: string, { least, most = Number.MAX_SAFE_INTEGER }: Bounds, fallback?: number): number {
      const text = (parsed.values as Record<string, unknown>)[name] ?? fallback;
      const value = text === '' ? Number.NaN : Number(text);
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      return refuse(`--${name} must be a whole number ${range}`);
    },
  };
}
