// `ramz doctor`: checks what a deployment is made of. Each check is loaded when it is asked for, so that none waits for the code of another.

import { command, type Program, runProgram } from './program.ts';

interface DoctorOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

const program: Program<DoctorOptions> = {
  call: 'npm run ramz -- doctor',
  commands: [
    command({
      names: ['prompts'],
      usage: `
  prompts
      the clips that calls are made of: every bank in use, clip by clip`,
      run: async (options: DoctorOptions) => (await import('./prompts.ts')).doctorPrompts(options),
    }),
    command({
      names: ['operators'],
      usage: `
  operators [<operator>]
      what is not understood of their receipts, and the line of the configuration to change`,
      takes: ['[<operator>]'],
      run: async (options: DoctorOptions, { words }) =>
        (await import('./operators.ts')).operators(['doctor', ...words], options),
    }),
    command({
      names: ['messaging'],
      usage: `
  messaging
      whether the deployment's own number can send: token, limits, templates, callbacks`,
      run: async (options: DoctorOptions) => (await import('./doctor-messaging.ts')).doctorMessaging(options),
    }),
  ],
};

/** Resolves with the exit code: 0 all is well, 1 something is not, 2 not understood. */
export const doctor = (args: readonly string[], options: DoctorOptions): Promise<number> =>
  runProgram(program, { args, say: options.say }, (run) => run(options));
