/** A reason not to start that whoever starts the service can put right: the message says how, and a stack says no more. */
export class StartRefused extends Error {
  override name = 'StartRefused';
}
