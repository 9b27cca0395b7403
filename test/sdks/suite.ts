// What a language's suite says of itself; run.ts runs it.

export interface Step {
  /** What the step does, for the reader of the output. */
  name: string;
  program: string;
  args: readonly string[];
  /** Relative to the repository. Default: its root. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** The step is a test runner that writes a JUnit report here (absolute). Without one, the step itself is one test. */
  junit?: string;
  timeoutMs?: number;
  /** A file (absolute) the step writes for the reader: printed when it ends, however it ends. */
  notes?: string;
}

export interface SuiteContext {
  root: string;
  /** An empty folder for this run: packed artefacts, virtual environments and projects that install them. Removed after. */
  folder: string;
  /** What the steps find in their environment, too; see `liveEnvironment`. */
  env: Readonly<Record<string, string>>;
}

export interface Suite {
  /** Tools that are needed: why the suite cannot run, or undefined. A reason skips the suite (in CI: fails it). */
  missing?(context: SuiteContext): Promise<string | undefined>;
  /** Run in order; the first that fails ends the suite. */
  steps(context: SuiteContext): Step[] | Promise<Step[]>;
}
