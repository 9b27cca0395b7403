// Steps of linking, and the daily look at a connected account: the calls of the platform, and what each has learned. Nothing is stored here,
// so that a step can be repeated.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { WabaHealth, WabaOutcome, WabaTemplates } from '../../core/waba/link.ts';
import { meantOf, type StatedNumber, type WabaAccess, type WabaPlatform } from '../../core/waba/platform.ts';
import type { WabaRow } from '../../db/schema.ts';
import type { WabaChange } from '../../db/waba/links.ts';
import { newPin, openSecret, readCode, sealSecret } from './stored-link.ts';

export interface StepResult {
  outcome: WabaOutcome;
  /** What the step has learned, stored together with the outcome. */
  learned: WabaChange;
}

const secretLost: StepResult = { outcome: { kind: 'refused', reason: 'secret_lost', code: null }, learned: {} };

/** `platformNumber`: id of the deployment's own number, which no business can link. */
export async function takeStep(
  row: WabaRow,
  platform: WabaPlatform,
  ring: KeyRing,
  platformNumber: string | null,
): Promise<StepResult> {
  if (row.status === 'connecting' && row.step === 'exchange_code') return exchangeCode(row, platform, ring);
  const token = openSecret(ring, row, 'token');
  if (token === undefined) return secretLost;
  const access: WabaAccess = { token, wabaId: row.waba_id, phoneNumberId: row.phone_number_id };
  if (row.status === 'connected' || row.status === 'suspended') return follow(row, access, platform);
  switch (row.step) {
    case 'check_number':
      return checkNumber(access, platform, platformNumber);
    case 'subscribe':
      return { outcome: await platform.subscribe(access), learned: {} };
    case 'verify_number':
      return verifyNumber(access, platform);
    case 'register':
      return register(row, access, platform, ring);
    case 'create_templates':
      return { outcome: await createTemplates(row.templates, access, platform), learned: {} };
    case 'await_approval':
      return readReview(access, platform);
    default:
      throw new Error(`the link of ${row.account_id} is due without a step to take: ${row.status}, ${row.step}`);
  }
}

/**
 * Subscribing is repeated: another service that has the account, or an unlinked number of it, may have ended it. A suspended account is
 * used again once the platform no longer blocks it.
 */
async function follow({ status, health }: WabaRow, access: WabaAccess, platform: WabaPlatform): Promise<StepResult> {
  const subscribed = await platform.subscribe(access);
  if (subscribed.kind !== 'done') return { outcome: subscribed, learned: {} };
  const answer = await platform.readHealth(access);
  if (answer.kind === 'refused') {
    if (answer.reason === 'account_disabled') return { outcome: answer, learned: {} };
    // A number that was deleted, or moved to another account, reads like one that the token may not see.
    const found = await platform.findNumber(access);
    if (found.kind === 'refused' && found.reason === 'number_not_found') return { outcome: found, learned: {} };
  }
  const isSuspended = status === 'suspended';
  if (isSuspended && answer.kind !== 'done') return { outcome: answer, learned: {} };
  const isBlocked = isSuspended && answer.kind === 'done' && answer.health.canSend === 'BLOCKED';
  const until = isBlocked ? health?.restrictedUntil : null;
  const learned: WabaChange = answer.kind === 'done' ? statedOf(answer, health, until) : {};
  if (isBlocked) return { outcome: { kind: 'waiting', reason: 'refused' }, learned };
  const listed = await platform.readTemplates(access);
  if (listed.kind !== 'done') return { outcome: listed, learned };
  const templates = await keepTemplates(listed, access, platform);
  return { outcome: { kind: 'done', templates }, learned };
}

/** Templates that are made or edited in one look, so that it ends soon. */
const mostEdits = 3;

/**
 * Makes those that the settings have named since the account was linked, and edits those with another delivery time. What is refused, or
 * unanswered, is tried again with the next look: the platform limits edits of a template to one a day. Returns all templates as they are then.
 */
async function keepTemplates(
  { templates, outdated }: { templates: WabaTemplates; outdated: readonly string[] },
  access: WabaAccess,
  platform: WabaPlatform,
): Promise<WabaTemplates> {
  const missing = platform.languages.filter((language) => !Object.hasOwn(templates, language)).slice(0, mostEdits);
  const made: string[] = [];
  for (const language of missing) {
    if ((await platform.createTemplate(access, language)).kind === 'done') made.push(language);
  }
  for (const id of outdated.slice(0, mostEdits - missing.length)) await platform.updateTemplate(access, id);
  return { ...templates, ...Object.fromEntries(made.map((language) => [language, 'pending'] as const)) };
}

/** The signup did not say which number, or which account either: its token was given for them. */
async function findMeant(
  access: WabaAccess,
  platform: WabaPlatform,
  platformNumber: string | null,
): Promise<StepResult> {
  const answer = await platform.listNumbers(access);
  if (answer.kind !== 'done') return { outcome: answer, learned: {} };
  const numbers = answer.numbers.filter(({ phoneNumberId }) => phoneNumberId !== platformNumber);
  const meant = meantOf(numbers);
  if (!meant) {
    const reason = numbers.length === 0 ? 'number_not_found' : 'number_ambiguous';
    return { outcome: { kind: 'refused', reason, code: null }, learned: {} };
  }
  const { wabaId: waba_id, phoneNumberId: phone_number_id, phoneNumber, displayName } = meant;
  const learned = { waba_id, phone_number_id, phone_number: phoneNumber, display_name: displayName, owned: true };
  return { outcome: { kind: 'done' }, learned };
}

/** A number that the signup ended with unverified cannot be registered: its owner verifies it at the platform. */
async function verifyNumber(access: WabaAccess, platform: WabaPlatform): Promise<StepResult> {
  const found = await platform.findNumber(access);
  if (found.kind !== 'done') return { outcome: found, learned: {} };
  const { registered, verified, phoneNumber, displayName } = found.number;
  if (!registered && !verified) return { outcome: { kind: 'waiting', reason: 'number_unverified' }, learned: {} };
  // Signed up without a name or number yet, it may have both by now.
  return { outcome: { kind: 'done' }, learned: { phone_number: phoneNumber, display_name: displayName } };
}

async function exchangeCode(row: WabaRow, platform: WabaPlatform, ring: KeyRing): Promise<StepResult> {
  const code = openSecret(ring, row, 'code');
  if (code === undefined) return secretLost;
  const answer = await platform.exchangeCode(readCode(code));
  if (answer.kind !== 'done') return { outcome: answer, learned: {} };
  const token = sealSecret(ring, row.account_id, 'token', answer.token);
  return { outcome: { kind: 'done' }, learned: { token, code: null, code_expires_at: null } };
}

async function checkNumber(
  access: WabaAccess,
  platform: WabaPlatform,
  platformNumber: string | null,
): Promise<StepResult> {
  const inspected = await platform.inspectToken(access);
  if (inspected.kind !== 'done') return { outcome: inspected, learned: {} };
  if (access.phoneNumberId === '') return findMeant(access, platform, platformNumber);
  const answer = await platform.findNumber(access);
  if (answer.kind !== 'done') return { outcome: answer, learned: {} };
  const { phoneNumber, displayName } = answer.number;
  return { outcome: { kind: 'done' }, learned: { phone_number: phoneNumber, display_name: displayName, owned: true } };
}

/**
 * A number that is registered stays as it is: the platform allows ten registrations in three days, and wants the PIN. Its
 * state is read again, because the answer that registered it may have been lost.
 */
async function register(row: WabaRow, access: WabaAccess, platform: WabaPlatform, ring: KeyRing): Promise<StepResult> {
  const found = await platform.findNumber(access);
  if (found.kind !== 'done') return { outcome: found, learned: {} };
  if (found.number.registered) return { outcome: { kind: 'done' }, learned: {} };
  const known = openSecret(ring, row, 'pin');
  if (known !== undefined) return { outcome: await platform.register(access, known), learned: {} };
  if (row.pin !== null) return secretLost;
  // Stored before it is used: a PIN that was set and then forgotten could never be given again.
  return { outcome: { kind: 'more' }, learned: { pin: sealSecret(ring, row.account_id, 'pin', newPin()) } };
}

/** One at a time, so that each is on record when the next begins. `known`: those made so far may not be listed yet. */
async function createTemplates(known: WabaTemplates, access: WabaAccess, platform: WabaPlatform): Promise<WabaOutcome> {
  const answer = await platform.readTemplates(access);
  if (answer.kind !== 'done') return answer;
  const templates: WabaTemplates = { ...known, ...answer.templates };
  const missing = platform.languages.find((language) => !Object.hasOwn(templates, language));
  if (missing === undefined) return { kind: 'done', templates };
  const created = await platform.createTemplate(access, missing);
  if (created.kind !== 'done') return created;
  const after: WabaTemplates = { ...templates, [missing]: 'pending' };
  const all = platform.languages.every((language) => Object.hasOwn(after, language));
  return { kind: all ? 'done' : 'more', templates: after };
}

/** What was created and is not listed yet is under review, too. Once nothing is, limits and the token's end are read with it. */
async function readReview(access: WabaAccess, platform: WabaPlatform): Promise<StepResult> {
  const answer = await platform.readTemplates(access);
  if (answer.kind !== 'done') return { outcome: answer, learned: {} };
  const listed = platform.languages.map((language) => [language, 'pending'] as const);
  const templates: WabaTemplates = { ...Object.fromEntries(listed), ...answer.templates };
  const outcome: WabaOutcome = { kind: 'done', templates };
  if (Object.values(templates).includes('pending')) return { outcome, learned: {} };
  return { outcome, learned: await healthOf(access, platform) };
}

/** Where the platform does not tell, what was known stays. */
async function healthOf(access: WabaAccess, platform: WabaPlatform): Promise<WabaChange> {
  const answer = await platform.readHealth(access);
  return answer.kind === 'done' ? statedOf(answer, null) : {};
}

/** `before`: as it was; of the token that holds where the platform did not tell. `restrictedUntil`: of the callback that stopped it. */
function statedOf(stated: StatedNumber, before: WabaHealth | null, restrictedUntil: number | null = null): WabaChange {
  const { health, knowsToken, phoneNumber, displayName } = stated;
  const tokenExpiresAt = knowsToken ? health.tokenExpiresAt : (before?.tokenExpiresAt ?? null);
  return {
    health: JSON.stringify({ ...health, tokenExpiresAt, ...(restrictedUntil === null ? {} : { restrictedUntil }) }),
    ...(phoneNumber === '' ? {} : { phone_number: phoneNumber }),
    ...(displayName === '' ? {} : { display_name: displayName }),
  };
}
