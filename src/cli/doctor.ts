// `ramz doctor`: checks what a deployment is made of. Each check is loaded when it is asked for, so that none waits for the code of another.

import type { VerbOptions } from './command.ts';
import { command, type Program, runProgram } from './program.ts';

const program: Program<VerbOptions> = {
  call: 'npm run ramz -- doctor',
  commands: [
    command({
      names: ['prompts'],
      usage: `
  prompts
      the clips that calls are made of: every bank in use, clip by clip`,
      run: async (options: VerbOptions) => (await import('./prompts.ts')).doctorPrompts(options),
    }),
    command({
      names: ['operators'],
      usage: `
  operators [<operator>]
      what is not understood of their receipts, and the line of the configuration to change`,
      takes: ['[<operator>]'],
      run: async (options: VerbOptions, { words }) =>
        (await import('./operators.ts')).operators(['doctor', ...words], options),
    }),
    command({
      names: ['messaging'],
      usage: `
  messaging
      whether the deployment's own number can send: token, limits, templates, callbacks`,
      run: async (options: VerbOptions) => (await import('./doctor-messaging.ts')).doctorMessaging(options),
    }),
  ],
};

/** Resolves with the exit code: 0 all is well, 1 something is not, 2 not understood. */
export const doctor = (args: readonly string[], options: VerbOptions): Promise<number> =>
  runProgram(program, { args, ...options }, (run) => run(options));
