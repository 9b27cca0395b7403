// What ends a word of the command line without being a bug.

export class Refusal extends Error {
  override name = 'Refusal';
  /** 1 = refused, 2 = not understood. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
