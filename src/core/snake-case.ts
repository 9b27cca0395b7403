// Names in snake case, as columns and JSON write them, at the level of types: the compiler then checks names that are spelled twice.

/** `senderFallback` → `sender_fallback`. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : '';

/** An object with every field of `T` under its name in snake case, whatever it says there. */
export type SnakeCased<T> = { [Field in keyof T & string as Snake<Field>]: unknown };
