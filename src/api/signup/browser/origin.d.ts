// Types of origin.js for the tests.
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean;
