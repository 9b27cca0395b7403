// Where log lines go: a file descriptor that may be full, slow or gone. The service never waits for its log, never fails with
// it, and never keeps more of it than a few megabytes.

import { type NoParamCallback, write, writeSync } from 'node:fs';

export interface LogOutputOptions {
  /** Default 1: standard output. */
  fd?: number;
  /** Kept while they can't be written; what comes beyond is dropped and counted. Characters; default 4 000 000. */
  maxWaiting?: number;
  /** Pause before a failed write is tried again. Default 1 000. */
  retryMs?: number;
  /** For tests. */
  write?(fd: number, bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
}

export interface LogOutput {
  write(line: string): void;
  /** Writes what waits, at once and only once: for the very end. */
  flush(): void;
}

/** Nobody reads any more, and nobody will. */
const isGone = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO' || code === 'EBADF';

export function createLogOutput(options: LogOutputOptions = {}): LogOutput {
  const { fd = 1, maxWaiting = 4_000_000, retryMs = 1_000 } = options;
  const writeTo = options.write ?? ((to, bytes, done) => write(to, bytes, done));
  let waiting = '';
  let underWay: Buffer | null = null;
  let dropped = 0;
  let gone = false;

  const next = (): void => {
    if (underWay !== null || waiting === '' || gone) return;
    underWay = Buffer.from(waiting);
    waiting = '';
    put();
  };
  const put = (): void => {
    const bytes = underWay as Buffer;
    writeTo(fd, bytes, (error, written) => {
      if (error) return failed(error);
      underWay = written < bytes.length ? bytes.subarray(written) : null;
      if (underWay !== null) return put();
      if (dropped > 0) {
        waiting = `${JSON.stringify({ level: 'warn', lines: dropped, msg: 'log lines were lost' })}\n${waiting}`;
        dropped = 0;
      }
      next();
    });
  };
  const failed: NoParamCallback = (error) => {
    if (error !== null && isGone(error)) {
      gone = true;
      waiting = '';
      underWay = null;
      return;
    }
    setTimeout(put, retryMs).unref();
  };

  return {
    write(line) {
      if (gone) return;
      if (waiting.length + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      waiting += line;
      // Lines of one turn leave together.
      if (underWay === null && waiting.length === line.length) setImmediate(next);
    },
    flush() {
      const rest = Buffer.concat([underWay ?? Buffer.alloc(0), Buffer.from(waiting)]);
      waiting = '';
      if (rest.length === 0 || gone) return;
      try {
        writeSync(fd, rest);
      } catch {
        // Nothing can be told anybody any more.
      }
    },
  };
}
