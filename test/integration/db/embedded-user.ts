// A process that uses the embedded server: says "up <json>", then on any input stops it and says "down <result>".
import { startEmbedded } from '../../../src/db/embedded.ts';

process.umask(0o077);
const { url, pid, adopted, stop } = await startEmbedded({ dataDir: process.argv[2] ?? '' });
console.log(`up ${JSON.stringify({ url, pid, adopted })}`);
process.stdin.once('data', async () => {
  console.log(`down ${await stop()}`);
  process.stdin.destroy();
});
