// docs/security as data: the requirements of ASVS 5.0.0 by their numbers, and the rows of the pages that answer them. Numbers and levels are
// facts; the standard's texts are under a licence of their own (CC BY-SA) and are not here.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { table } from '../../../scripts/docs/fill.ts';
import { ROOT } from './pages.ts';

/** Of each chapter its sections, of each section its requirements by their levels: V1.2.10 is the last digit of the second group. */
const levels = {
  V1: '22 1111122223 112222222223 222 123',
  V2: '122 112 12223 23',
  V3: '3 113 12223 11222233 11122333 3 22333',
  V4: '12233 23333 22 1222',
  V5: '2 112333 113 222',
  V6: '122 111111112222 11223333 112233 22222333 2223 33 2222',
  V7: '222 1111 22 11222 223 22',
  V8: '1233 1123 133 23',
  V9: '111 1222',
  V10: '22 223 22223 1111122222233333 22222 22 222',
  V11: '2233 22233 11233 1222 23 23 33',
  V12: '12233 11 22223',
  V13: '2333 222223 2233 1222233',
  V14: '22 12223333 122',
  V15: '12233 12233 1222222 3333',
  V16: '2 22222 2222 222 2223',
  V17: '23 22223333 22',
};

/** Id of each requirement → its level. */
export const requirements: ReadonlyMap<string, string> = new Map(
  Object.entries(levels).flatMap(([chapter, sections]) =>
    sections
      .split(' ')
      .flatMap((section, s) =>
        Array.from(section, (level, r): [string, string] => [`${chapter}.${s + 1}.${r + 1}`, level]),
      ),
  ),
);

/** Sections that ask for something to be written down: there a page is proof. */
const written = new Set('V2.1 V3.1 V5.1 V6.1 V7.1 V8.1 V11.1 V13.1 V14.1 V15.1 V16.1'.split(' '));

export type Answer = 'proved' | 'in part' | 'missing' | 'not ours';

export interface Proof {
  /** From the root. */
  file: string;
  title: string;
}

export interface Row {
  page: string;
  line: string;
  ids: string[];
  /** As the page says it; NIST has none. */
  level: string | null;
  proofs: Proof[];
  /** Null: none that counts. */
  answer: Answer | null;
}

export const securityPages: readonly string[] = globSync('docs/security/*.md', { cwd: ROOT }).sort();

/** Lines of tables that begin with a number of a requirement. */
export function rowsOf(page: string, text: string): Row[] {
  return [...text.matchAll(/^\| ((?:V?\d+(?:\.\d+)+(?:, )?)+) \| (?:([123](?:, [123])*) \| )?(.+) \| (.+) \|$/gm)].map(
    ([line, ids = '', level, , words = '']) => {
      const links = [...words.matchAll(/\[((?:[^\]\\]|\\.)+)\]\(([^)]+)\)/g)].map(([, title = '', target = '']) => ({
        file: join(dirname(page), target.split('#')[0] ?? ''),
        title: title.replace(/\\(.)/g, '$1'),
      }));
      const proofs = links.filter(({ file }) => file.endsWith('.test.ts'));
      const list = ids.split(', ');
      const isWritten = list.every((id) => written.has(id.split('.').slice(0, 2).join('.')));
      return {
        page,
        line,
        ids: list,
        level: level ?? null,
        proofs,
        answer: answerOf(words, proofs.length > 0 || (isWritten && links.length > 0)),
      };
    },
  );
}

function answerOf(words: string, isProved: boolean): Answer | null {
  if (words.startsWith('*missing*')) return 'missing';
  if (/^\*(?:not ours|application)\*/.test(words)) return 'not ours';
  if (!isProved) return null;
  return words.includes('*missing*') ? 'in part' : 'proved';
}

export const securityRows = (): Row[] =>
  securityPages.flatMap((page) => rowsOf(page, readFileSync(join(ROOT, page), 'utf8')));

const answers: readonly Answer[] = ['proved', 'in part', 'missing', 'not ours'];

/** The totals of docs/security.md. */
export function securityTotals(): string {
  const all = securityRows().flatMap(({ ids, answer }) => ids.map((id) => ({ id, answer })));
  const counts = (name: string, of: (id: string) => boolean) => {
    const ours = all.filter(({ id }) => of(id));
    return [
      name,
      String(ours.length),
      ...answers.map((each) => String(ours.filter(({ answer }) => answer === each).length)),
    ];
  };
  const isAsvs = (id: string) => id.startsWith('V');
  return table(
    ['', 'lines', ...answers],
    [
      ...Object.keys(levels).map((chapter) => counts(chapter, (id) => id.startsWith(`${chapter}.`))),
      counts('**ASVS**', isAsvs),
      ...['1', '2', '3'].map((level) => counts(`of level ${level}`, (id) => requirements.get(id) === level)),
      counts('**NIST SP 800-63B-4**', (id) => !isAsvs(id)),
    ],
  );
}
