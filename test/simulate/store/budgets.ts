// Budgets in the store in memory: db/limits/budgets.ts, told in loops.
import { leftPerSlice, periodMs, warnings } from '../../../src/core/limits/budget.ts';
import { formatFixed, parseFixed } from '../../../src/core/money/money.ts';
import type { GrantedCredit, WantedCredit } from '../../../src/db/limits/budgets.ts';
import { keyOf, type Tables, type Verbs } from './tables.ts';

export interface BudgetRow {
  window: number;
  used: bigint;
  most: bigint;
  warned: number;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

function levelOf(used: bigint, most: bigint): number {
  if (used <= 0n) return 0;
  return [...warnings].reverse().find((percent) => used * 100n >= most * BigInt(percent)) ?? 0;
}

function taken(tables: Tables, want: WantedCredit): GrantedCredit | null {
  const { accountId, keyId, period, unit, limit, enforced, scale, backWindow } = want;
  const key = keyOf(accountId, keyId, period, unit);
  const row = tables.budgets.get(key);
  if (limit === null && !row) return null;
  const [need, ahead, back, more] = [want.need, want.ahead, want.back, want.more].map(parseFixed) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  tables.corrections.set(key, (tables.corrections.get(key) ?? 0n) + more);
  const most = limit === null ? (row as BudgetRow).most : parseFixed(limit);
  const window = Math.max(row?.window ?? 0, Math.floor(tables.now() / periodMs[period]));
  const isSame = row?.window === window;
  const had = positive((isSame ? row.used : 0n) - (backWindow === window ? back : 0n)) + more;
  const room = positive(most - had);
  const last = isSame ? row.warned : 0;
  const warned = row && row.most !== most ? Math.min(last, levelOf(had, most)) : last;
  const unitOfSlice = scale === 0 ? parseFixed('1') : 1n;
  const slice = positive(room - need) / BigInt(leftPerSlice);
  const granted = enforced ? least(need, room) + least(ahead, slice - (slice % unitOfSlice)) : need + ahead;
  const exhausted = need > room;
  const used = had + granted;
  const level = exhausted ? 100 : levelOf(used, most);
  if (row || used > 0n || level > 0) tables.budgets.set(key, { window, used, most, warned: Math.max(warned, level) });
  return {
    granted: formatFixed(granted),
    used: formatFixed(used),
    exhausted,
    window,
    endsInMs: (window + 1) * periodMs[period] - tables.now(),
    warning: level > warned ? level : null,
    deliveries: [],
  };
}

export const budgetVerbs = (tables: Tables): Pick<Verbs, 'takeCredit'> => ({
  takeCredit: (wants) => wants.map((want) => taken(tables, want)),
});
