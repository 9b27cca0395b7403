// Fenced blocks of a page, and what their info strings ask for. The convention is in CONTRIBUTING.md. Pure.

/** Languages that are executed. */
export const runnable = ['sh', 'python', 'js', 'ts', 'go', 'php'] as const;
export type Runnable = (typeof runnable)[number];

/** What is shown, not executed. `json` must at least be JSON; `output` is what the block before it prints. */
const data = ['text', 'json', 'http', 'output', 'diff', 'ini', 'toml', 'yaml', 'xml', 'proto'];

export interface Block {
  page: string;
  /** Line of the fence, from 1. */
  line: number;
  language: string;
  text: string;
  marks: Marks;
}

export interface Marks {
  /** Belongs behind the block of the same language before it: one program. */
  continues: boolean;
  /** Is put beside the programs of the page under this name, and not executed. */
  file?: string;
  /** Why it is not executed. */
  notRun?: string;
  /** Is what the block before it prints. */
  output: boolean;
  /** Needs something around it: a framework, or, to `install` into, an empty folder. */
  inside?: 'laravel' | 'install';
}

/** @throws where an info string is none of the convention, or where a fence is left open. */
export function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; indent: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', fence = '', info = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open) {
      if (fence.startsWith(open.fence) && info.trim() === '') {
        blocks.push(blockOf(page, open.line, open.info, `${open.lines.join('\n')}\n`));
        open = undefined;
      } else open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart());
    } else if (fence) open = { fence, indent, info: info.trim(), line: index + 1, lines: [] };
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`);
  return blocks;
}

function blockOf(page: string, line: number, info: string, text: string): Block {
  const [language = '', ...rest] = info.split(/\s+/);
  const where = `${page}:${line}`;
  if (![...runnable, ...data].includes(language))
    throw new Error(`${where}: \`${language}\` is no language that is executed or shown; plain text is \`text\``);
  const marks: Marks = { continues: false, output: language === 'output' };
  for (const [index, word] of rest.entries()) {
    if (word === 'continues') marks.continues = true;
    else if (word === 'output') marks.output = true;
    else if (word === 'laravel' || word === 'install') marks.inside = word;
    else if (/^file=[\w.-]+$/.test(word)) marks.file = word.slice('file='.length);
    else if (word === 'not-run:') {
      marks.notRun = rest.slice(index + 1).join(' ');
      if (marks.notRun === '') throw new Error(`${where}: not-run: needs a reason`);
      break;
    } else if (word !== 'runnable') throw new Error(`${where}: unknown mark ${word}`);
  }
  return { page, line, language, text, marks };
}

/** What is executed as one: a block and those that continue it. */
export interface Program {
  /** `docs/errors.md:12`. */
  name: string;
  page: string;
  language: Runnable;
  inside?: 'laravel' | 'install';
  text: string;
  /** What it must print, where the page says it. */
  output?: string;
}

export interface Page {
  programs: Program[];
  files: { name: string; text: string }[];
  notRun: { name: string; language: string; reason: string }[];
}

/** Puts the blocks of a page together. @throws where a block continues nothing, or an output follows nothing. */
export function pageOf(blocks: readonly Block[]): Page {
  const page: Page = { programs: [], files: [], notRun: [] };
  let last: Program | undefined;
  for (const block of blocks) {
    const { language, text, marks } = block;
    const name = `${block.page}:${block.line}`;
    if (marks.output) {
      if (!last) throw new Error(`${name}: is the output of nothing`);
      last.output = (last.output ?? '') + text;
      continue;
    }
    last = undefined;
    if (marks.notRun !== undefined) page.notRun.push({ name, language, reason: marks.notRun });
    else if (marks.file !== undefined) page.files.push({ name: marks.file, text });
    else if (language === 'json') JSON.parse(text);
    else if (isRunnable(language)) {
      if (marks.continues) {
        last = page.programs.findLast((program) => program.language === language);
        if (!last) throw new Error(`${name}: continues nothing`);
        last.text += language === 'php' ? text.replace(/^<\?php\s/, '') : text;
      } else {
        last = { name, page: block.page, language, text, ...(marks.inside ? { inside: marks.inside } : {}) };
        page.programs.push(last);
      }
    }
  }
  return page;
}

const isRunnable = (language: string): language is Runnable => (runnable as readonly string[]).includes(language);
