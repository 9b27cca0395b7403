// The rule `key_restriction`: what one API key may be used for. A key that another key makes is restricted at least as much as that one, or a
// stolen key would make itself a free one.

import { contains, isInside, parseAddress, parseNetwork } from './addresses.ts';
import { type BudgetLimits, type KeyBudget, linesOf, nameOf, sendsUnit } from './budget.ts';
import type { Finding } from './verdict.ts';

export interface KeyRestrictions {
  /** Addresses and networks (CIDR) that calls may come from; empty = any. */
  addresses: readonly string[];
  /** Beginnings of the numbers that codes may be sent to; empty = any. */
  prefixes: readonly string[];
  /** Null = as many as the account may. */
  sendsPerDay: number | null;
  /** What is absent is not limited, but for the account's budgets. */
  budget?: BudgetLimits;
  /** Of the keys that this one descends from: its sends are sends of theirs, or a key would multiply itself. Absent = of none. */
  within?: readonly CountedLimits[];
}

/** Limits of one key that its sends are counted for, and the sends of keys that it makes. */
export interface CountedLimits {
  keyId: string;
  sendsPerDay?: number | null;
  budget?: BudgetLimits;
}

export interface DayLimit {
  keyId: string;
  sendsPerDay: number;
}

export const unrestricted: KeyRestrictions = { addresses: [], prefixes: [], sendsPerDay: null };

/** As they are stored: a part that the row lacks restricts nothing. */
export const restrictionsOf = (stored: Partial<KeyRestrictions> | null): KeyRestrictions | null =>
  stored && { ...unrestricted, ...stored };

function countedLimits(keyId: string, { sendsPerDay, budget, within = [] }: KeyRestrictions): CountedLimits[] {
  const own = { ...(sendsPerDay === null ? {} : { sendsPerDay }), ...(budget ? { budget } : {}) };
  return [...(isEmpty(own) ? [] : [{ keyId, ...own }]), ...within];
}

/** Every limit a day that a send of the key counts in, its own first. */
export const dayLimits = (keyId: string, restrictions: KeyRestrictions): DayLimit[] =>
  countedLimits(keyId, restrictions).flatMap(({ keyId: of, sendsPerDay }) =>
    sendsPerDay == null ? [] : [{ keyId: of, sendsPerDay }],
  );

/** The budgets that pay for a send of the key beside its account's, its own first. */
export const keyBudgets = ({
  apiKeyId,
  restrictions,
}: {
  apiKeyId?: string;
  restrictions?: KeyRestrictions;
}): KeyBudget[] =>
  apiKeyId === undefined || !restrictions
    ? []
    : countedLimits(apiKeyId, restrictions).flatMap(({ keyId, budget }) => (budget ? [{ keyId, limits: budget }] : []));

/** How many keys a send may be counted for beside the one that makes it: each of them costs every send a look. */
const mostAncestors = 8;

export type Inherited =
  | { kind: 'ok'; restrictions: KeyRestrictions | null }
  /** It asks for more than the key has that makes it. `part`: of the restrictions, by its path on the wire. */
  | { kind: 'wider'; part: string }
  /** Too many of the keys that it would descend from have limits that count. */
  | { kind: 'too_deep'; most: number };

/** The restrictions of a key that another one makes. What is not asked for is that key's own. */
export function inherited(
  parent: { keyId: string; restrictions: KeyRestrictions },
  asked: Omit<KeyRestrictions, 'within'>,
): Inherited {
  const { addresses, prefixes, sendsPerDay, budget: parents } = parent.restrictions;
  const budget = budgetOf(parents, asked.budget);
  const wanted = {
    addresses: asked.addresses.length > 0 ? asked.addresses : addresses,
    prefixes: asked.prefixes.length > 0 ? asked.prefixes : prefixes,
    sendsPerDay: asked.sendsPerDay ?? sendsPerDay,
    ...(isEmpty(budget) ? {} : { budget }),
  };
  const part = widerPart(parent.restrictions, wanted);
  if (part) return { kind: 'wider', part };
  const within = countedLimits(parent.keyId, parent.restrictions);
  if (within.length > mostAncestors) return { kind: 'too_deep', most: mostAncestors };
  const restrictions = { ...wanted, ...(within.length > 0 ? { within } : {}) };
  return { kind: 'ok', restrictions: isUnrestricted(restrictions) ? null : restrictions };
}

/** One that is not asked for is the parent's, each currency by itself. */
function budgetOf(parents: BudgetLimits = {}, asked: BudgetLimits = {}): BudgetLimits {
  const { spendPerHour: _, spendPerDay: __, ...sends } = { ...parents, ...asked };
  const perHour = { ...parents.spendPerHour, ...asked.spendPerHour };
  const perDay = { ...parents.spendPerDay, ...asked.spendPerDay };
  return {
    ...sends,
    ...(isEmpty(perHour) ? {} : { spendPerHour: perHour }),
    ...(isEmpty(perDay) ? {} : { spendPerDay: perDay }),
  };
}

const isEmpty = (values: object): boolean => Object.keys(values).length === 0;

const isUnrestricted = ({ addresses, prefixes, sendsPerDay, budget }: KeyRestrictions): boolean =>
  addresses.length === 0 && prefixes.length === 0 && sendsPerDay === null && budget === undefined;

/** Whether a call may come from `peer`. What is no address is none of them. */
export function mayCallFrom(addresses: readonly string[], peer: string): boolean {
  if (addresses.length === 0) return true;
  const address = parseAddress(peer);
  return address !== null && addresses.some((text) => isInsideText(text, address));
}

function isInsideText(text: string, address: NonNullable<ReturnType<typeof parseAddress>>): boolean {
  const network = parseNetwork(text);
  return network !== null && isInside(network, address);
}

/** `to` in E.164. */
export function keyPrefixes(to: string, prefixes: readonly string[]): Finding | null {
  if (prefixes.length === 0 || prefixes.some((prefix) => to.startsWith(prefix))) return null;
  return { rule: 'key_restriction', reason: 'prefix', field: 'to' };
}

/** What is found where a call comes from another address than the key's. */
export const keyElsewhere: Finding = { rule: 'key_restriction', reason: 'address' };

/** What is found where the key has made its sends of the day. */
export const keyLimited: Finding = { rule: 'key_restriction', reason: 'sends_per_day' };

/** Part of the restrictions in which `child` allows what `parent` does not, by its path on the wire; null = none. */
function widerPart(parent: KeyRestrictions, child: KeyRestrictions): string | null {
  if (isWider(parent.addresses, child.addresses, isNetworkWithin)) return 'addresses';
  if (isWider(parent.prefixes, child.prefixes, (outer, inner) => inner.startsWith(outer))) return 'prefixes';
  const { sendsPerDay } = child;
  if (parent.sendsPerDay !== null && (sendsPerDay === null || sendsPerDay > parent.sendsPerDay)) return 'sends_per_day';
  return widerBudget(parent.budget, child.budget);
}

function widerBudget(parent: BudgetLimits = {}, child: BudgetLimits = {}): string | null {
  const linesIn = (limits: BudgetLimits) => linesOf({ accountId: '', limits, keys: [] });
  const children = linesIn(child);
  const wider = linesIn(parent).find(({ period, unit, limit }) => {
    const own = children.find((each) => each.period === period && each.unit === unit);
    return !own || own.limit > limit;
  });
  return wider ? `budget.${nameOf(wider)}${wider.unit === sendsUnit ? '' : `.${wider.unit}`}` : null;
}

function isWider(
  parent: readonly string[],
  child: readonly string[],
  covers: (outer: string, inner: string) => boolean,
): boolean {
  if (parent.length === 0) return false;
  return child.length === 0 || child.some((inner) => !parent.some((outer) => covers(outer, inner)));
}

function isNetworkWithin(outer: string, inner: string): boolean {
  const [one, other] = [parseNetwork(outer), parseNetwork(inner)];
  return one !== null && other !== null && contains(one, other);
}
