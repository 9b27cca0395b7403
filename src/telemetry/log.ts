// Structured logs: one JSON object a line, on standard output. Phone numbers are masked wherever they stand; codes, keys
// and message texts are never handed to the log in the first place.

import pino, { type Logger } from 'pino';
import { maskPhone } from '../core/phone.ts';
import { createLogOutput } from './output.ts';

export type { Logger };

/** A number in international format inside a text. */
const number = /\+[1-9]\d{6,14}\b/g;

export const maskNumbers = (text: string): string => text.replace(number, (found) => maskPhone(found));

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
  return {
    name,
    message: maskNumbers(message),
    stack: stack && maskNumbers(stack),
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined || depth >= maxDepth ? {} : { cause: mask(cause, depth + 1) }),
  };
}

/** What still waits at the end is written then; a `kill -9` loses the lines of the last milliseconds. */
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
