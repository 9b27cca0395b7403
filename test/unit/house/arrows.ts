// Who may import whom. An arrow missing here is a decision; `npm run generate` brings docs/architecture.md up to date.

/** Folder under src/ → what of ours it may import: folders, or single files. Files directly under src/ may import all. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  text: [],
  core: ['text'],
  collections: [],
  time: [],
  smpp: ['time', 'text'],
  sip: [],
  gen: [],
  http: ['time'],
  // The wire between processes, which knows nothing of what is said.
  peers: ['core', 'time'],
  pages: ['collections'],
  story: [],
  config: ['core', 'text'],
  telemetry: ['core'],
  db: ['core', 'time', 'collections'],
  // Of the configuration only the types of one operator: plain values.
  channels: ['core', 'text', 'time', 'collections', 'smpp', 'sip', 'http', 'config.ts'],
  engine: ['core', 'db', 'http', 'peers', 'time', 'collections', 'channels/channel.ts'],
  // Accounts, keys and lists are rows: handlers use their statements directly, an engine in between would only pass on.
  api: ['engine', 'core', 'gen', 'db', 'time', 'collections', 'pages', 'config.ts'],
  // The operator's verbs, `sandbox` among them.
  cli: ['engine', 'core', 'db', 'channels', 'pages', 'story', 'config.ts', 'gen/values.ts', 'sandbox/main.ts'],
  // Of the sandbox only the types of what it says.
  launch: ['engine', 'core', 'db', 'config.ts', 'sandbox/views.ts'],
  // Never `smpp` or `sip`: its counterparts are independent stacks. Of the channels the recorder alone: it makes a bank of the voice channel.
  sandbox: ['core', 'time', 'collections', 'pages', 'channels/voice/prompts/recording.ts'],
};
