// The platform's error codes and the meaning of each for the message and for the channel, whether the code comes in an answer, in a
// status, or in a callback about no message. Source: "Error codes" of the WhatsApp Business Platform (May 2026), every code of its
// tables that a template message, a registration or a template can meet, and "Handle errors" of the Graph API.

/**
 * `move_on`: this phone cannot be reached by the app now. `slow_down`: the calls come too fast. `trouble`: a passing fault of the
 * platform's. `channel_down`: the platform refuses the number for every recipient, and an operator must act. `configuration`: the
 * configured template, parameters or number is refused, and an operator must correct it. `other`: a code that is in no table here.
 */
export type ErrorMeaning = (typeof errorMeanings)[number];
export const errorMeanings = ['move_on', 'slow_down', 'trouble', 'channel_down', 'configuration', 'other'] as const;

const meanings: ReadonlyMap<number, ErrorMeaning> = new Map<number, ErrorMeaning>([
  [131026, 'move_on'], // undeliverable: not on the app, an old version, terms not accepted
  [131049, 'move_on'], // not delivered, for the sake of the recipient's peace
  [130472, 'move_on'], // the recipient is part of an experiment
  [131050, 'move_on'], // the recipient wants no such messages
  [131062, 'move_on'], // the platform knows the recipient by an id only, not by a number
  [131021, 'move_on'], // the recipient is the sender
  [130497, 'move_on'], // the account may not send to that country
  [137000, 'move_on'], // the recipient's identity has changed

  [130429, 'slow_down'], // throughput of the number
  [131056, 'slow_down'], // too many to this phone from this number
  [80007, 'slow_down'], // calls of the business account
  [80008, 'slow_down'], // calls that manage the business account
  [4, 'slow_down'], // calls of the app
  [17, 'slow_down'], // calls of the user
  [341, 'slow_down'], // calls of the app, or downtime
  [613, 'slow_down'], // calls of one kind
  [133015, 'slow_down'], // a number that was deregistered a moment ago

  [131000, 'trouble'], // something went wrong
  [131016, 'trouble'], // service unavailable
  [131057, 'trouble'], // account in maintenance
  [2494100, 'trouble'], // number in maintenance
  [133004, 'trouble'], // registration unavailable
  [135000, 'trouble'], // an error without a name
  [1, 'trouble'], // unknown
  [2, 'trouble'], // service away

  [0, 'channel_down'], // the token does not authenticate
  [102, 'channel_down'], // the token is invalid, in most cases
  [190, 'channel_down'], // the token has expired or was withdrawn
  [3, 'channel_down'], // no such capability
  [10, 'channel_down'], // permission missing or withdrawn
  [368, 'channel_down'], // blocked for breaking rules
  [131005, 'channel_down'], // access denied
  [131031, 'channel_down'], // account locked
  [131037, 'channel_down'], // the display name is not approved
  [131042, 'channel_down'], // a matter of payment
  [131044, 'channel_down'], // a matter of payment, too
  [131045, 'channel_down'], // the number's certificate is wrong
  [131048, 'channel_down'], // restricted for complaints, for hours or days
  [131064, 'channel_down'], // limited for templates of a wrong category
  [133006, 'channel_down'], // the number must be verified
  [133010, 'channel_down'], // number not registered

  [100, 'configuration'], // parameter wrong, or no such phone number id
  [33, 'configuration'], // parameter wrong, or no such phone number id
  [131008, 'configuration'], // parameter missing
  [131009, 'configuration'], // parameter wrong
  [131030, 'configuration'], // a test number, and the recipient is not in its list
  [131047, 'configuration'], // no template where only a template may be sent
  [131051, 'configuration'], // no such type of message
  [131052, 'configuration'], // media that could not be fetched
  [131053, 'configuration'], // media that could not be taken
  [131063, 'configuration'], // marketing templates are switched off for the number: one of a code has a wrong category
  [132000, 'configuration'], // another number of parameters than the template's
  [132001, 'configuration'], // no such template in that language
  [132005, 'configuration'], // text too long with its parameters
  [132007, 'configuration'], // text against the rules
  [132008, 'configuration'], // parameters of another form than the template's
  [132012, 'configuration'], // parameters of another form than the template's
  [132015, 'configuration'], // template paused
  [132016, 'configuration'], // template disabled
  [132018, 'configuration'], // parameters of another form than the template's, since v23.0
  [132068, 'configuration'], // the template's flow is blocked
  [132069, 'configuration'], // the template's flow is throttled
  [133000, 'configuration'], // a deregistration was not finished
  [133005, 'configuration'], // another PIN than the number's
  [133008, 'configuration'], // PIN guessed too often
  [133009, 'configuration'], // PIN guessed too fast
  [133016, 'configuration'], // registered and deregistered too often in three days
  [2388012, 'configuration'], // the number is in the account already
  [2388019, 'configuration'], // too many templates
  [2388023, 'configuration'], // the template's name is being deleted
  [2388024, 'configuration'], // the template is there already
  [2388040, 'configuration'], // a field of the template is too long
  [2388047, 'configuration'], // the template's header is wrong
  [2388072, 'configuration'], // the template's body is wrong
  [2388073, 'configuration'], // the template's footer is wrong
  [2388091, 'configuration'], // the number is not one that can be moved
  [2388103, 'configuration'], // the number can not be moved
  [2388293, 'configuration'], // too many parameters for so few words
  [2388299, 'configuration'], // a parameter at the template's beginning or end
]);

export function errorMeaning(code: number): ErrorMeaning {
  if (code >= 200 && code <= 299) return 'channel_down'; // permissions, as 10
  return meanings.get(code) ?? 'other';
}

/** Codes about the account or the number that sends, although no operator has to act: that country alone, or for a while. */
const passingOfSender: ReadonlySet<number> = new Set([130497, 131057, 2494100]);

/** True where the number itself was refused, its account or its template, so that another number may send the message. */
export function refusesSender(code: number): boolean {
  const meaning = errorMeaning(code);
  return meaning === 'channel_down' || meaning === 'configuration' || passingOfSender.has(code);
}

/** Whether this is a code of the platform's without a chosen meaning. `code` is text, as in refusals: `HTTP 404` is no code. */
export const isUnknownCode = (code: string): boolean => /^\d+$/.test(code) && errorMeaning(Number(code)) === 'other';

/** The code for a number without an account that could be reached. */
export const notOnApp = 131026;
/** The code for too many messages to one phone; messages to other phones may go on. */
export const pairLimit = 131056;
/** True for the codes of a token that stays refused: another one is needed. `code` is text, as in refusals. */
export const isTokenRefused = (code: string): boolean => code === '190' || code === '0';

/** Whether messages to all phones come too fast, and not to one alone. */
export const isTooFast = ({ meaning, code }: Pick<Refusal, 'meaning' | 'code'>): boolean =>
  meaning === 'slow_down' && code !== String(pairLimit);

/** A refusal, in the platform's words that may be logged: its messages may name the recipient. */
export interface Refusal {
  meaning: ErrorMeaning;
  /** The platform's code, or `HTTP 404` where it gave none. */
  code: string;
  subcode?: number | undefined;
  /** The platform's own id of the fault, for its support. */
  trace?: string | undefined;
}
