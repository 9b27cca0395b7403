// A running `npm start` as the SS7 gateway's script needs it: where it is, and its configuration with one operator more.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of `.data/sandbox.json` that is needed. */
export interface SandboxFile {
  http: string;
  api_key: string;
  admin_token: string;
  server_pid: number;
}

interface ConfigFile {
  operators: { id: string; prefixes: string[] }[];
}

export class RunningSandbox {
  readonly #addresses: string;
  readonly #config: string;

  constructor(folder: string) {
    this.#addresses = join(folder, 'sandbox.json');
    this.#config = join(folder, 'sandbox.config.json');
  }

  /** Null while none is running. */
  get file(): SandboxFile | null {
    return readJson<SandboxFile>(this.#addresses);
  }

  /** Why there is none to add an operator to; undefined where there is one. */
  async problem(): Promise<string | undefined> {
    const { file } = this;
    if (file === null)
      return `there is no running sandbox: ${this.#addresses} is missing. Run npm start first, in another terminal`;
    const isThere = await fetch(`${file.http}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isThere) return `no answer at ${file.http}: is npm start still running?`;
    if (readJson(this.#config) === null)
      return `${this.#config} is missing: the sandbox was started with a configuration of its own (RAMZ_CONFIG)`;
    return undefined;
  }

  /** Has the server know the operator, also where a restarted sandbox has written the file without it. Nothing where it is there. */
  add(operator: ConfigFile['operators'][number]): void {
    this.#change((operators) => (operators.some(({ id }) => id === operator.id) ? null : [...operators, operator]));
  }

  remove(id: string): void {
    this.#change((operators) => {
      const others = operators.filter((each) => each.id !== id);
      return others.length === operators.length ? null : others;
    });
  }

  /** The binds of the operator that are up, over all processes. */
  async binds(id: string): Promise<number> {
    const { file } = this;
    if (file === null) return 0;
    const response = await fetch(`${file.http}/v1/operators`, {
      headers: { authorization: `Bearer ${file.admin_token}` },
    });
    if (!response.ok) return 0;
    const { operators } = (await response.json()) as { operators: { id: string; binds: { bound: boolean }[] }[] };
    return operators.find((each) => each.id === id)?.binds.filter(({ bound }) => bound).length ?? 0;
  }

  #change(to: (operators: ConfigFile['operators']) => ConfigFile['operators'] | null): void {
    const [config, file] = [readJson<ConfigFile>(this.#config), this.file];
    const operators = config && to(config.operators);
    if (!operators || !file) return;
    // Whole or not at all: the server may be reading it.
    writeFileSync(`${this.#config}.ss7`, `${JSON.stringify({ ...config, operators }, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${this.#config}.ss7`, this.#config);
    try {
      process.kill(file.server_pid, 'SIGHUP');
    } catch {
      // It is being started again, and reads the file then.
    }
  }
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
