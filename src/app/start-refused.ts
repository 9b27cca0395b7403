/** A reason not to start that the operator can put right: the message says how, and a stack trace adds nothing. */
export class StartRefused extends Error {
  override name = 'StartRefused';
}
