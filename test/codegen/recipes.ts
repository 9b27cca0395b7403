// The recipes of CONTRIBUTING.md, read so that a test can follow them: their steps, the edits in their diffs, and what the page says of a
// step that is left out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Recipe {
  name: string;
  steps: Step[];
}

export interface Step {
  number: number;
  edits: Edit[];
  /** Whether the step is `npm run generate`. */
  generates: boolean;
  /** What the page says of leaving the step out: which check then names which file. */
  without: Claim | null;
}

export interface Claim {
  /** Tests to run, by a part of their path; null for the types. */
  tests: string | null;
  names: string;
}

/** One place of a file; `before` is null for a file that is new. */
export interface Edit {
  file: string;
  before: string | null;
  after: string;
}

/** Those that show their edits. */
export function readRecipes(page: string): Recipe[] {
  const [, chapter = ''] = /^## Recipes\n([\s\S]*?)^## /m.exec(page) ?? [];
  const recipes = chapter.split(/^### /m).slice(1).map(toRecipe);
  return recipes.filter(({ steps }) => steps.some(({ edits }) => edits.length > 0));
}

function toRecipe(section: string): Recipe {
  const name = section.slice(0, section.indexOf('\n'));
  return {
    name,
    steps: section
      .split(/^(?=\d+\. )/m)
      .slice(1)
      .map(toStep),
  };
}

function toStep(text: string): Step {
  const number = Number.parseInt(text, 10);
  const edits = [...text.matchAll(/^```diff\n([\s\S]*?)^```/gm)].flatMap(([, diff = '']) => toEdits(diff));
  const claim = /Without this step\s+`npm (?:run typecheck|test -- (\S+))`\s+names `([^`]+)`/.exec(text);
  const without = claim && { tests: claim[1] ?? null, names: claim[2] ?? '' };
  return { number, edits, generates: text.startsWith(`${number}. \`npm run generate\``), without };
}

/** `--- file` begins the edits of a file, `+++ file` a new one, `@@` the next place in it. */
function toEdits(diff: string): Edit[] {
  const files = diff.split(/^(?=(?:---|\+\+\+) )/m);
  return files.flatMap((text): Edit[] => {
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const file = head.slice(4);
    const side = (signs: string, place: string[]) =>
      place.flatMap((line) => (line === '' || signs.includes(line[0] ?? '') ? [line.slice(1)] : [])).join('\n');
    if (head.startsWith('+++')) return [{ file, before: null, after: `${side('+', lines)}\n` }];
    const places = lines.join('\n').split(/^@@\n/m);
    return places
      .map((place) => place.trimEnd().split('\n'))
      .map((place) => ({
        file,
        before: side(' -', place),
        after: side(' +', place),
      }));
  });
}

/** @throws where the tree does not have the one place that the edit is about. */
export function edit(folder: string, { file, before, after }: Edit): void {
  const path = join(folder, file);
  if (before === null) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
    return;
  }
  const text = readFileSync(path, 'utf8');
  const places = `\n${text}`.split(`\n${before}\n`);
  if (places.length !== 2) throw new Error(`${file} has ${places.length - 1} places for this edit:\n${before}`);
  writeFileSync(path, places.join(`\n${after}\n`).slice(1));
}
