// Secrets of the environment that may lie in files instead: `NAME_FILE` names the file whose text is `NAME`. An environment can be read
// where a file can't: in the list of processes, in a crash report, by `docker inspect`.

import { type ConfigProblem, type ConfigSources, fileText } from './problem.ts';

/** Those of them that have no file of their own yet, as RAMZ_KEYS has RAMZ_KEY_RING. */
const inFiles = ['DATABASE_URL', 'DATABASE_CELLS', 'RAMZ_ADMIN_TOKEN', 'METRICS_TOKEN'] as const;

export interface GivenVariables {
  /** What is set, with the texts of files in the places of their names. An empty variable counts as unset. */
  given: Record<string, string>;
  errors: ConfigProblem[];
}

export function withSecretFiles({ env, readFile }: ConfigSources): GivenVariables {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value) given[name] = value;
  const errors: ConfigProblem[] = [];
  for (const name of inFiles) {
    const variable = `${name}_FILE`;
    const path = given[variable];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      errors.push({ path: variable, message: `is set beside ${name}: only one of them can be it` });
      continue;
    }
    const text = textOf(readFile, path);
    if (text === '') errors.push({ path: variable, message: `${path} cannot be read or is empty` });
    else given[name] = text;
  }
  return { given, errors };
}

/** White space at the end is dropped: editors and `echo` leave a line end. */
function textOf(readFile: ConfigSources['readFile'], path: string): string {
  try {
    return fileText(readFile, path).trimEnd();
  } catch {
    return '';
  }
}
