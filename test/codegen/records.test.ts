// A record is declared once: what does not fit between a shape of the domain and its columns fails to compile, at the declaration. Each slip
// is made on a copy of the few files that it needs, and one run of the compiler reads all copies.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = testFolder('records');
const shapes = 'src/core/verify/session.ts';
const declaration = 'src/db/verify/records.ts';
const files = [
  shapes,
  declaration,
  'src/db/verify/timeline.ts',
  'src/core/snake-case.ts',
  'src/core/verify/call.ts',
  'src/core/money/cost.ts',
  'src/core/limits/budget.ts',
  'src/core/limits/verdict.ts',
  'src/core/money/money.ts',
  'src/db/record.ts',
  'src/db/columns.ts',
];

interface Slip {
  file: string;
  from: string;
  to: string;
  /** Part of what the compiler says. */
  says: string;
}

const slips: Record<string, Slip> = {
  'a field that is not declared': {
    file: shapes,
    from: 'senderFallback: boolean;',
    to: 'senderFallback: boolean;\n  requeues: number;',
    says: "Property 'requeues' is missing",
  },
  'a field that is misspelt': {
    file: declaration,
    from: 'senderFallback:',
    to: 'senderFallbck:',
    says: "Did you mean to write 'senderFallback'?",
  },
  'a field that the record does not have': {
    file: declaration,
    from: "senderFallback: 'boolean',",
    to: "senderFallback: 'boolean',\n  speed: 'integer',",
    says: "is not assignable to type 'never'",
  },
  'a field that travels as another type': {
    file: declaration,
    from: "submittedAt: 'ms'",
    to: "submittedAt: 'text'",
    says: "is not assignable to type 'FieldSpec<number>'",
  },
};
const intact = 'nothing';
const nameOf = (what: string) => what.replaceAll(' ', '-');

/** What the compiler says of each copy, by its folder's name. */
let complaints: Map<string, string[]>;

beforeAll(async () => {
  for (const [what, slip] of [[intact, null], ...Object.entries(slips)] as const) {
    const copy = join(folder, nameOf(what));
    for (const file of files) cpSync(join(root, file), join(copy, file));
    if (!slip) continue;
    const text = readFileSync(join(copy, slip.file), 'utf8');
    expect(text.split(slip.from)).toHaveLength(2);
    writeFileSync(join(copy, slip.file), text.replace(slip.from, slip.to));
  }
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const include = ['*/src/db/verify/*.ts'];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [tsc, '--pretty', 'false'], { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  complaints = Map.groupBy(said.split(/\n(?=\S)/).filter(Boolean), (line) => line.slice(0, line.indexOf('/')));
});

test('the records as they are compile', () => {
  expect(complaints.get(nameOf(intact)) ?? []).toEqual([]);
});

test.each(Object.entries(slips))('%s fails to compile at the declaration', (what, { says }) => {
  const [first, ...others] = complaints.get(nameOf(what)) ?? [];
  expect(first).toContain(`${nameOf(what)}/${declaration}(`);
  expect(first).toContain(says);
  expect(others).toEqual([]);
});
