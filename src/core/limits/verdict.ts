// The verdict on a send: what the rules against abuse object to, and which objection refuses. A rule says what it finds and knows nothing of
// its mode, so that a deployment can watch a rule before it enforces it.

/** Every rule, in the order in which the objections of several count; a block list's is the answer only where nothing else refuses the send. */
export const guardRules = [
  'key_restriction',
  'allowed_prefixes',
  'block_list',
  'client_limit',
  'sequential_numbers',
  'prefix_conversion',
  'budget',
] as const;
export type GuardRule = (typeof guardRules)[number];

/** `monitor`: the send goes out, and its session's timeline has the finding. */
export const ruleModes = ['off', 'monitor', 'enforce'] as const;
export type RuleMode = (typeof ruleModes)[number];
export type RuleModes = Readonly<Record<GuardRule, RuleMode>>;

/** What one rule objects to in one send. It says nothing about other accounts. */
export interface Finding {
  rule: GuardRule;
  /** A word of the rule's own, for the account that sends. */
  reason: string;
  /** The field at fault, by its path on the wire. */
  field?: string;
  /** When the same send may pass; absent where only a change of settings helps. */
  retryAfterMs?: number;
  /** Id of the stop that it meets. */
  stopId?: string;
}

export interface Verdict {
  /** The finding that refuses the send; null = it goes out. */
  refusal: Finding | null;
  /** What rules in the mode `monitor` have found. */
  monitored: readonly Finding[];
}

const noObjection: Verdict = { refusal: null, monitored: [] };

/** In the order in which they count: by rule, and of one rule first what lasts longest, because until then the send is refused. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted(
    (one, other) => guardRules.indexOf(one.rule) - guardRules.indexOf(other.rule) || lastsMs(other) - lastsMs(one),
  );

const lastsMs = ({ retryAfterMs = Number.MAX_VALUE }: Finding): number => retryAfterMs;

/**
 * The findings may come in any order. A block list is the last that refuses: it may be the platform's, and where a stop of the account's own refuses
 * any number, it must not say which of them are blocked.
 */
export function verdictOf(findings: readonly Finding[], modes: RuleModes): Verdict {
  if (findings.length === 0) return noObjection;
  const ordered = inOrder(findings);
  const enforced = ordered.filter(({ rule }) => modes[rule] === 'enforce');
  return {
    refusal: enforced.find(({ rule }) => rule !== 'block_list') ?? enforced[0] ?? null,
    monitored: ordered.filter(({ rule }) => modes[rule] === 'monitor'),
  };
}

/** The deployment's modes with those that an account has of its own. */
export const modesOf = (deployment: RuleModes, own: Partial<RuleModes>): RuleModes => ({ ...deployment, ...own });
