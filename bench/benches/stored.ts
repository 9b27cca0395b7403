// Calls against a database with many stored sessions, beside the same calls against a tenth of them: how long the slowest of a hundred
// takes, and the pages that Postgres looks at. What five times as many would cost is derived, and its unit says so.

import { Copies, type Original } from '../load/copies.ts';
import { HttpClient } from '../load/http-client.ts';
import { Counters, countingStatements } from '../measure/database.ts';
import { quantile } from '../measure/statistics.ts';
import type { Sample } from '../report/figures.ts';
import { type Rig, startRig } from '../rig/rig.ts';
import { saturate } from './verifications.ts';

const originals = 10;
const calls = 400;
const atOnce = 4;
/** Copies are of the last hours: of more than one partition's span, a table would have to be made for the past. */
const spanMs = 3 * 3_600_000;

export interface Measured {
  /** By call: what the slowest of a hundred takes, ms. */
  p99Ms: Readonly<Record<string, number>>;
  /** By call: pages of 8 KiB that Postgres looks at. */
  pages: Readonly<Record<string, number>>;
}

export async function stored(sessions: number): Promise<Sample[]> {
  const rig = await startRig({ postgresSettings: { ...countingStatements, max_wal_size: '8GB' } });
  const counters = await Counters.open(rig.database.url);
  let copies: Copies | undefined;
  try {
    await saturate(rig, { seconds: 5, inFlight: 16 });
    const played = await leave(rig);
    copies = await Copies.open(rig.database.url, played);
    const few = Math.ceil(sessions / 10);
    const known = await copies.make(few, spanMs);
    await copies.settle();
    const before = await measure(rig, counters, known);
    known.push(...(await copies.make(sessions - few, spanMs)));
    await copies.settle();
    return samplesOf(await measure(rig, counters, known), before);
  } finally {
    await copies?.close();
    await counters.close();
    await rig.close();
  }
}

/** `many` of ten times as many sessions as `few`. Pure. */
export function samplesOf(many: Measured, few: Measured): Sample[] {
  const beside = (kind: keyof Measured, unit: string) =>
    Object.entries(many[kind]).map(([call, value]): Sample & { reference: number } => {
      const reference = few[kind][call];
      if (reference === undefined) throw new Error(`${call} was not measured against few sessions`);
      return { key: `stored_${call}_${kind === 'pages' ? 'pages' : 'p99'}`, unit, value, reference };
    });
  const pages = beside('pages', 'pages/call').flatMap((sample): Sample[] => {
    const value = derived(sample.value, sample.reference);
    return [sample, { key: `${sample.key}_times_5`, unit: 'pages/call, derived', value }];
  });
  return [...beside('p99Ms', 'ms'), ...pages];
}

/** Of five times as many: what is looked at grows with the depth of an index, which is logarithmic, or not at all. */
export const derived = (many: number, few: number): number => many + Math.max(0, many - few) * Math.log10(5);

/** Nine of ten are verified, one is canceled. */
async function leave({ load }: Rig): Promise<Original[]> {
  const left: Original[] = [];
  for (let n = 0; n < originals; n += 1) {
    const reference = `bench-original-${n}`;
    const { id, number } = await load.play(performance.now(), { reference, end: n === 0 ? 'cancel' : 'check' });
    left.push({ id, number, reference });
  }
  return left;
}

async function measure({ load, http, apiKey }: Rig, counters: Counters, known: readonly Original[]): Promise<Measured> {
  const client = new HttpClient({ port: Number(new URL(http).port), headers: { authorization: `Bearer ${apiKey}` } });
  const any = (): Original => known[Math.floor(Math.random() * known.length)] as Original;
  /** `wanted`: what the answer must have in it, so that no call is fast because it finds nothing. */
  const read = async (path: string, wanted = '"id":"vrf_') => {
    const startedAt = performance.now();
    const { status, body } = await client.get(`/v1/verify/sessions${path}`);
    if (status !== 200 || !body.includes(wanted)) throw new Error(`GET ${path}: ${status} ${body.slice(0, 500)}`);
    return performance.now() - startedAt;
  };
  const now = Date.now();
  const iso = (agoMs: number) => encodeURIComponent(new Date(now - agoMs).toISOString());
  const reads: Readonly<Record<string, (one: Original) => Promise<number>>> = {
    get: ({ id }) => read(`/${id}`, id),
    list: () => read(''),
    list_to: ({ id, number }) => read(`?to=${encodeURIComponent(number)}`, id),
    list_status: () => read('?status=canceled'),
    list_status_of_none: () => read('?status=failed', '"next_page_token"'),
    list_client_reference: ({ id, reference }) => read(`?client_reference=${reference}`, id),
    list_created: () => read(`?created_after=${iso(spanMs / 2)}&created_before=${iso(spanMs / 2 - 600_000)}`),
  };
  const p99Ms: Record<string, number> = {};
  const pages: Record<string, number> = {};
  try {
    const played = await counted(counters, () => load.play());
    const of = (which: 'toAnswerMs' | 'checkMs') =>
      quantile(
        played.results.map((each) => each[which]),
        0.99,
      );
    p99Ms.send = of('toAnswerMs');
    p99Ms.check = of('checkMs');
    pages.verification = played.pages;
    for (const [name, call] of Object.entries(reads)) {
      const each = await counted(counters, () => call(any()));
      p99Ms[name] = quantile(each.results, 0.99);
      pages[name] = each.pages;
    }
    return { p99Ms, pages };
  } finally {
    client.close();
  }
}

/** The first tenth warms up, and counts for nothing. Pages are of all that Postgres does meanwhile. */
async function counted<Result>(counters: Counters, call: () => Promise<Result>) {
  const times = async (count: number) => {
    const results: Result[] = [];
    let begun = 0;
    const worker = async () => {
      while (begun < count) {
        begun += 1;
        results.push(await call());
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return results;
  };
  await times(calls / 10);
  await counters.count();
  const results = await times(calls);
  return { results, pages: (await counters.statements()).pages / calls };
}
