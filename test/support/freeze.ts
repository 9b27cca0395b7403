// Makes a value untouchable all the way down: whoever writes on it throws.

/** Freezes what is not frozen yet; a frozen part is taken to be frozen below, so that long histories stay cheap. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
