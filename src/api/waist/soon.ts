// For what is mostly known at once and sometimes must be waited for: a key that is held, a limit counted in memory. Waiting for
// every one of them costs a turn of the microtask queue each, which at a no-op call is a good part of it.

/** `next(value)`: now where the value is there, when it comes where it is promised. */
export function soon<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result,
): Result | Promise<Awaited<Result>> {
  return value instanceof Promise ? value.then((each) => next(each) as Awaited<Result>) : next(value);
}
