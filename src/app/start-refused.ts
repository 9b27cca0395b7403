/** What keeps the service from starting and can be put right by whoever starts it: the message says how, and a stack says no more. */
export class StartRefused extends Error {}
