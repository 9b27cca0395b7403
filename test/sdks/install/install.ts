// What it takes to use the packed SDKs: an empty project per language, as a user has it. For snippets and examples.

import { run } from '../../../scripts/run.ts';

export interface Project {
  folder: string;
}

/** A project, or why there can be none here: a tool is missing. */
export type Installed = { kind: 'ready'; project: Project } | { kind: 'missing'; reason: string };

export const missing = (reason: string): Installed => ({ kind: 'missing', reason });
export const ready = (folder: string): Installed => ({ kind: 'ready', project: { folder } });

/** Runs a program that must succeed; answers what it printed. */
export async function must(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { code, output } = await run(program, args, { cwd, env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}
