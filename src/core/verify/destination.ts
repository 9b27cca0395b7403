// The number a code goes to: read, and where it is a send, allowed or refused. Pure.

import { internationalForm, type PhoneRefusal, parsePhone, routeByPrefix } from '../phone.ts';
import { type Refusal, refused } from './refusal.ts';
import { scenarioOf } from './scenarios.ts';
import type { Mode } from './session.ts';

/** What a deployment says of the numbers it sends to. */
export interface DestinationSettings {
  readonly sandbox: boolean;
  readonly scenarioPrefix: string | null;
  readonly service: { readonly homeCountry: string | null };
  readonly operators: readonly { readonly id: string; readonly prefixes: readonly string[] }[];
}

const problems: Record<PhoneRefusal, string> = {
  not_international: 'must be in international format: plus sign, country code, subscriber number',
  malformed: 'must be a plus sign and digits',
  unknown_country: 'has no country code that is in use',
  too_short: 'is too short for its country',
  too_long: 'is too long for its country',
  unassigned: 'is in a range that nobody was given',
  not_mobile: 'is not a mobile number',
};

/** The number in E.164. The refusal's metadata says why, in one word. `homeCountry`: whose national numbers are explained. */
export function readNumber(to: string, homeCountry: string | null = null): { kind: 'ok'; e164: string } | Refusal {
  const parsed = parsePhone(to);
  if (parsed.kind === 'ok') return { kind: 'ok', e164: parsed.e164 };
  const { reason } = parsed;
  const meant = reason === 'not_international' && homeCountry ? internationalForm(to, homeCountry) : null;
  return refused('invalid_phone_number', 'to', `${problems[reason]}${meant ? `, e.g. ${meant}` : ''}`, { reason });
}

/**
 * Whether a code may go there at all, and through which operator. Only the configured operators' ranges are open, in both
 * modes and on every channel: a test key meets what a live one would meet.
 */
export function settleDestination(
  to: string,
  mode: Mode,
  { operators, sandbox, scenarioPrefix, service }: DestinationSettings,
): { kind: 'ok'; e164: string; operator: string } | Refusal {
  const number = readNumber(to, service.homeCountry);
  if (number.kind === 'refused') return number;
  const { e164 } = number;
  if (mode === 'live' && !sandbox && scenarioPrefix !== null && scenarioOf(e164, scenarioPrefix)) {
    return refused('scenario_number', 'to', 'is a scenario number: use it with a test key');
  }
  const operator = routeByPrefix(e164, operators);
  if (!operator) return refused('unsupported_destination', 'to', 'is served by no operator of this deployment');
  return { kind: 'ok', e164, operator: operator.id };
}
