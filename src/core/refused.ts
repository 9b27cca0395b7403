// The error of a program that goes no further for a reason which is no bug.

/** What the person who runs the program can put right: the message says how, and a stack trace adds nothing. */
export class Refused extends Error {
  override name = 'Refused';
}
