// What the two SMPP clients under measurement have in common.

/** submit_sm under way at once: with receipts after 5 ms, enough to keep a client busy. */
export const inFlight = 500;
const warmupMs = 1_500;

export const credentials = { systemId: 'bench', password: 'bench' };
export const destination = '213550000001';
export const text = 'Votre code Ramz : 123456. Ne le communiquez a personne.';

/** What a client sends over IPC when it is done. */
export interface SmppMeasured {
  /** Messages with their answer and their receipt. */
  messages: number;
  cpuUs: number;
}

/** Plays messages for so long and measures this process; `play` resolves when answer and receipt of one are there. */
export async function measure(play: () => Promise<void>, seconds: number): Promise<SmppMeasured> {
  const { closedLoop } = await import('../load/shapes.ts');
  let before = process.cpuUsage();
  let used = before;
  const { results } = await closedLoop(
    play,
    { inFlight, warmupMs, measureMs: seconds * 1000 },
    {
      onMeasure: () => {
        before = process.cpuUsage();
      },
      onMeasured: () => {
        used = process.cpuUsage(before);
      },
    },
  );
  return { messages: results.length, cpuUs: used.user + used.system };
}
