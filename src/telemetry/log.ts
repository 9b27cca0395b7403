// Structured logs: one JSON object a line, with phone numbers masked, and the output they go to. Codes, keys and message texts never
// reach the log. The output may be full, slow or gone: the service never waits for its log and never fails with it.

import { type NoParamCallback, write, writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { maskPhone } from '../core/phone.ts';

export type { Logger };

/** A number in international format inside a text. */
const number = /\+[1-9]\d{6,14}\b/g;

const maskNumbers = (text: string): string => text.replace(number, (found) => maskPhone(found));

/** Errors that are logged of one that stands for several, each without its own causes: they could be as many again. */
const mostErrors = 10;

/** Values deeper than this are not looked at, and not logged: a log line is not a dump. */
const maxDepth = 5;

function mask(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskNumbers(value);
  if (value instanceof Error) return maskError(value, depth);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth >= maxDepth) return '…';
  if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(item, depth + 1)]));
}

function maskError(error: Error, depth: number): object {
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  // What failed is in these alone: the housekeeping has one text for all its failures, and a connection to several addresses has none.
  const errors = error instanceof AggregateError && depth < maxDepth ? error.errors.slice(0, mostErrors) : [];
  return {
    name,
    message: maskNumbers(message),
    stack: stack && maskNumbers(stack),
    ...(code === undefined ? {} : { code }),
    ...(errors.length === 0 ? {} : { errors: errors.map((each) => mask(each, maxDepth)) }),
    ...(cause === undefined || depth >= maxDepth ? {} : { cause: mask(cause, depth + 1) }),
  };
}

/** The standard output. Lines still waiting at the end are written then; a `kill -9` loses those of the last milliseconds. */
function standardOutput(): pino.DestinationStream {
  const output = createLogOutput();
  process.once('exit', output.flush);
  return output;
}

/** `destination` is for tests; default: standard output. */
export function createLogger(level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: (object) => mask(object) as Record<string, unknown>,
    },
    hooks: {
      logMethod(args, method) {
        const masked = args.map((arg) => (typeof arg === 'string' ? maskNumbers(arg) : arg));
        method.apply(this, masked as Parameters<typeof method>);
      },
    },
  };
  return pino(options, destination ?? standardOutput());
}

export interface LogOutputOptions {
  /** Default 1: standard output. */
  fd?: number;
  /** Characters kept while the output cannot be written to; lines beyond are dropped and counted. Default 4 000 000. */
  maxWaiting?: number;
  /** Pause before a failed write is tried again. Default 1 000. */
  retryMs?: number;
  /** For tests. */
  write?(fd: number, bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
}

interface LogOutput {
  write(line: string): void;
  /** Writes the waiting lines at once, with a single try: for the very end. */
  flush(): void;
}

/** True for errors after which the output will never be read again. */
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
        waiting = `${JSON.stringify({ level: 'warn', lines: dropped, msg: 'log lines were lost: make the reader of standard output faster' })}\n${waiting}`;
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
        // The process ends, and its log cannot be written: there is no other place to report that.
      }
    },
  };
}
