// Very many stored sessions: rows that real verifications left, copied by COPY into the same partitions with ids, numbers, references and
// times of their own. What a row consists of is read from the database, so that a table's change needs none here.

import { randomFillSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { newId, shardForNumber, timeOf } from '../../src/core/ids.ts';
import { tables } from '../../src/db/partitions/plan.ts';

/** A session that was played for real, as its caller knows it. */
export interface Original {
  id: string;
  number: string;
  reference: string;
}

/** One copy's own values. */
export interface Copy {
  number: string;
  reference: string;
  shard: number;
  /** The carrier's id of its message. */
  carrierId: string;
  /** Later than the original, ms; negative = earlier. */
  laterMs: number;
  ids: readonly string[];
}

type Piece = string | { kind: 'id' | 'iso' | 'zulu' | 'ms' | 'own'; value: number | keyof Copy };

/** Prefixes of ids that a session and its rows have for themselves. */
const prefixes = [...new Set(tables.map(({ prefix }) => prefix))];
const idPattern = `(?:${prefixes.join('|')})[0-9a-hjkmnp-tv-z]{26}`;
const timePatterns = [
  '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?\\+00(?![\\d:])',
  '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z',
  '(?<![\\w.])1[6-9]\\d{11}(?![\\w.])',
];

/** The rows of one session in each table, cut where a copy differs. */
export class Template {
  readonly #rows: { table: string; pieces: Piece[] }[] = [];
  readonly #ids: string[] = [];
  readonly #original: Original & { carrierId: string };

  constructor(original: Original, carrierId: string) {
    this.#original = { ...original, carrierId };
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** `fields`: a row in COPY's text form, by column. */
  add(table: string, fields: Readonly<Record<string, string>>): void {
    const pieces = Object.entries(fields).flatMap(([column, text], index): Piece[] => {
      const cut: Piece[] = column === 'shard' ? [{ kind: 'own', value: 'shard' }] : this.#cut(text);
      return index === 0 ? cut : ['\t', ...cut];
    });
    this.#rows.push({ table, pieces: [...pieces, '\n'] });
  }

  /** The rows of one copy, each with its table. */
  *render(copy: Copy): Iterable<{ table: string; line: string }> {
    for (const { table, pieces } of this.#rows) {
      let line = '';
      for (const piece of pieces) line += typeof piece === 'string' ? piece : textOf(piece, copy);
      yield { table, line };
    }
  }

  #cut(text: string): Piece[] {
    const { number, reference, carrierId } = this.#original;
    const own = { number, reference, carrierId };
    const literal = (value: string) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(
      [idPattern, ...timePatterns, ...Object.values(own).filter(Boolean).map(literal)]
        .map((each) => `(${each})`)
        .join('|'),
    );
    const pieces: Piece[] = [];
    let rest = text;
    for (let found = pattern.exec(rest); found; found = pattern.exec(rest)) {
      if (found.index > 0) pieces.push(rest.slice(0, found.index));
      pieces.push(this.#piece(found[0], own));
      rest = rest.slice(found.index + found[0].length);
    }
    return rest === '' ? pieces : [...pieces, rest];
  }

  #piece(text: string, own: Readonly<Record<string, string>>): Piece {
    const name = Object.keys(own).find((key) => own[key] === text) as keyof Copy | undefined;
    if (name !== undefined) return { kind: 'own', value: name };
    if (prefixes.some((prefix) => text.startsWith(prefix))) {
      const at = this.#ids.indexOf(text);
      return { kind: 'id', value: at >= 0 ? at : this.#ids.push(text) - 1 };
    }
    if (/^\d+$/.test(text)) return { kind: 'ms', value: Number(text) };
    return text.includes('T')
      ? { kind: 'zulu', value: Date.parse(text) }
      : { kind: 'iso', value: Date.parse(`${text.replace(' ', 'T')}:00`) };
  }
}

function textOf({ kind, value }: Exclude<Piece, string>, copy: Copy): string {
  if (kind === 'own') return String(copy[value as keyof Copy]);
  if (kind === 'id') return copy.ids[value as number] ?? '';
  const at = (value as number) + copy.laterMs;
  if (kind === 'ms') return String(at);
  const text = new Date(at).toISOString();
  return kind === 'zulu' ? text : `${text.slice(0, 10)} ${text.slice(11, 23)}+00`;
}

/** Sessions of a file: some hundred megabytes, which are gone before the next. */
const perFile = 20_000;

export class Copies {
  readonly #client: pg.Client;
  readonly #folder: string;
  readonly #templates: { template: Template; original: Original }[] = [];
  readonly #columns = new Map<string, string[]>();
  readonly #random = new Uint8Array(10);
  #made = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
    this.#folder = mkdtempSync(join(tmpdir(), 'ramz-bench-copies-'));
    chmodSync(this.#folder, 0o777); // Postgres writes and reads there, as another user.
  }

  static async open(url: string, originals: readonly Original[]): Promise<Copies> {
    const client = new pg.Client({ connectionString: url, application_name: 'bench' });
    await client.connect();
    const copies = new Copies(client);
    await copies.#readColumns();
    for (const original of originals) await copies.#readTemplate(original);
    return copies;
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#client.end();
  }

  /** Makes so many further sessions, of the last `spanMs`; returns some of them. */
  async make(count: number, spanMs: number): Promise<Original[]> {
    const some: Original[] = [];
    for (let left = count; left > 0; left -= perFile) {
      const texts = new Map<string, string[]>([...this.#columns.keys()].map((table) => [table, []]));
      for (let n = 0; n < Math.min(perFile, left); n += 1) {
        const made = this.#one(spanMs, texts);
        if (n % 100 === 0) some.push(made);
      }
      for (const [table, lines] of texts) await this.#copy(table, lines);
    }
    return some;
  }

  /** Until statistics are those of the rows there are. */
  async settle(): Promise<void> {
    await this.#client.query('vacuum (analyze)');
    await this.#client.query('checkpoint');
  }

  #one(spanMs: number, texts: ReadonlyMap<string, string[]>): Original {
    this.#made += 1;
    const source = this.#templates[this.#made % this.#templates.length];
    if (!source) throw new Error('there is nothing to copy');
    const { template, original } = source;
    const number = `+21366${String(this.#made % 10_000_000).padStart(7, '0')}`;
    const laterMs = -Math.floor(Math.random() * spanMs);
    const shard = shardForNumber(number);
    const ids = template.ids.map((id) => {
      const prefix = id.slice(0, -26);
      return newId(prefix, { nowMs: timeOf(id) + laterMs, shard, random: randomFillSync(this.#random) });
    });
    const reference = `order-${this.#made}`;
    const carrierId = this.#made.toString(16).toUpperCase().padStart(12, 'C');
    const copy = { number, reference, shard, laterMs, ids, carrierId };
    for (const { table, line } of template.render(copy)) texts.get(table)?.push(line);
    return { id: ids[template.ids.indexOf(original.id)] ?? '', number, reference };
  }

  async #copy(table: string, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const file = join(this.#folder, table);
    writeFileSync(file, lines.join(''), { mode: 0o644 });
    await this.#client.query(`copy ${table} (${this.#columnsOf(table)}) from '${file}'`);
    rmSync(file);
  }

  /** Partitioned tables whose rows belong to a session. */
  async #readColumns(): Promise<void> {
    const { rows } = await this.#client.query<{ table: string; columns: string[] }>(
      `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' and a.attidentity = ''
      where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace group by c.relname`,
    );
    for (const { table, columns } of rows)
      if (table === 'verify_session' || columns.includes('session_id')) this.#columns.set(table, columns);
  }

  #columnsOf(table: string): string {
    return (this.#columns.get(table) ?? []).map((column) => `"${column}"`).join(', ');
  }

  async #readTemplate(original: Original): Promise<void> {
    const { rows } = await this.#client.query<{ id: string | null }>(
      `select provider_message_id as id from message where session_id = $1`,
      [original.id],
    );
    const template = new Template(original, rows[0]?.id ?? '');
    for (const [table, columns] of this.#columns) {
      const key = table === 'verify_session' ? 'id' : 'session_id';
      const file = join(this.#folder, `original-${table}`);
      const chosen = `select ${this.#columnsOf(table)} from ${table} where ${key} = '${original.id}'`;
      await this.#client.query(`copy (${chosen}) to '${file}'`);
      for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
        const fields = line.split('\t');
        template.add(table, Object.fromEntries(columns.map((column, n) => [column, fields[n] ?? ''])));
      }
      rmSync(file, { force: true });
    }
    this.#templates.push({ template, original });
  }
}
