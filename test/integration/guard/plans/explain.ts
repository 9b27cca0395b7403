// How the database would look for the rows of a statement: which index of which table, told without the names of partitions.
import pg from 'pg';
import { genericPlan } from '../../../support/plan.ts';
import type { Statement } from './record.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Conflict Arbiter Indexes'?: string[];
  Plans?: Plan[];
}

/** By the name of a relation (a partition, or an index of one): the table, the index as the table knows it, and how many rows. */
interface Known {
  table: string;
  index: string;
  rows: number;
}

export class Explainer {
  readonly #url: string;
  readonly #known = new Map<string, Known>();
  readonly #clients = new Map<string, Promise<pg.Client>>();
  /** Rows of a table, with all its partitions. */
  readonly rows = new Map<string, number>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Which tables there are, and how much is in them now. */
  async learn(): Promise<void> {
    const client = await this.#client('');
    const { rows } = await client.query<{ name: string; table: string; index: string; rows: number; leaf: boolean }>(`
      with recursive root as (
        select oid, oid as top from pg_class where relnamespace = 'public'::regnamespace and not relispartition
        union all select i.inhrelid, root.top from pg_inherits i join root on i.inhparent = root.oid
      )
      select c.relname as name, coalesce(t.relname, top.relname) as "table",
        case when x.indexrelid is null then '' else top.relname end as index, greatest(own.reltuples, 0) as rows,
        c.relkind = 'r' as leaf
      from root join pg_class c on c.oid = root.oid join pg_class top on top.oid = root.top
      left join pg_index x on x.indexrelid = c.oid left join pg_index tx on tx.indexrelid = top.oid
      left join pg_class t on t.oid = tx.indrelid join pg_class own on own.oid = coalesce(x.indrelid, c.oid)
      where c.relkind in ('r', 'p', 'i', 'I')`);
    this.rows.clear();
    for (const row of rows) {
      this.#known.set(row.name, row);
      if (row.leaf) this.rows.set(row.table, (this.rows.get(row.table) ?? 0) + row.rows);
    }
  }

  /** By what the statement does to which tables, so that its text may be written otherwise: `lanes: update process`. */
  nameOf({ pool, text }: Statement): string {
    const found = [...text.matchAll(/\b(insert into|update|delete from|from|join)\s+(?:only\s+)?"?(\w+)/gi)];
    const done = found.flatMap(([, verb = '', name = '']) => {
      const table = this.#known.get(name)?.table ?? name;
      return this.rows.has(table) ? [`${toVerb(verb)} ${table}`] : [];
    });
    // What a save consists of depends on what happened to meet in it: all of them are one statement here.
    const isSave = pool === 'lanes' && done.includes('update verify_session') && /\bunnest\(/i.test(text);
    return `${pool}: ${isSave ? 'save' : [...new Set(done)].sort().join(', ')}`;
  }

  /** Sorted, one a look: `verify_session by verify_session_pkey, Index Scan`. Of what is small only that it is looked at. */
  async looks(statement: Statement): Promise<string[]> {
    const client = await this.#client(statement.options);
    const explained = await genericPlan<Explained>(client, statement.text, 'json');
    // A lane never plans for single values.
    if (statement.pool !== 'lanes') {
      const text = `explain (format json) ${statement.text}`;
      const { rows } = await client.query<{ 'QUERY PLAN': Explained }>(text, [...statement.values]);
      explained.push(...rows.map((row) => row['QUERY PLAN']));
    }
    return [...new Set(explained.flatMap(([{ Plan }]) => this.#looksOf(Plan)))].sort();
  }

  close(): Promise<unknown> {
    return Promise.all([...this.#clients.values()].map(async (client) => (await client).end()));
  }

  #looksOf(plan: Plan): string[] {
    const below = (plan.Plans ?? []).flatMap((each) => this.#looksOf(each));
    return [...this.#lookOf(plan), ...below];
  }

  #lookOf({ 'Node Type': node, ...plan }: Plan): string[] {
    if (node === 'ModifyTable') {
      return (plan['Conflict Arbiter Indexes'] ?? []).flatMap((name) => this.#told(name, 'On Conflict'));
    }
    const name = plan['Index Name'] ?? (node.endsWith('Scan') ? plan['Relation Name'] : undefined);
    // The scan above a bitmap's says nothing of how it finds them.
    if (name === undefined || node === 'Bitmap Heap Scan') return [];
    // Row by row or by a bitmap: a few rows more or less in a sample decide it.
    return this.#told(name, node.replace('Bitmap Index', 'Index'));
  }

  /** Partitions without rows are passed over: which of their indexes is taken says nothing. */
  #told(name: string, node: string): string[] {
    const known = this.#known.get(name);
    if (!known) return [];
    const { table, index, rows } = known;
    if ((this.rows.get(table) ?? 0) < manyRows) return [`${table}, small`];
    return rows < manyRows ? [] : [`${table} ${index === '' ? '' : `by ${index}`}, ${node}`.replace(' ,', ',')];
  }

  #client(options: string): Promise<pg.Client> {
    const known = this.#clients.get(options);
    if (known) return known;
    const made = (async () => {
      const client = new pg.Client({ connectionString: this.#url, options });
      await client.connect();
      return client;
    })();
    this.#clients.set(options, made);
    return made;
  }
}

type Explained = [{ Plan: Plan }];

const toVerb = (words: string): string => {
  const [verb = ''] = words.toLowerCase().split(' ');
  return verb === 'from' || verb === 'join' ? 'read' : verb;
};

/** A table or partition with fewer is small: there a sequential scan may be the best there is. */
const manyRows = 1_000;
