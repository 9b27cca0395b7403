// Four processes and eight cells: each owner of numbers stores sessions in the cells of its range, and in no other, so that its batches are as long as
// they can be.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { homeCell } from '../../src/core/fleet/cells.ts';
import { evenly } from '../support/cells.ts';
import { testCells } from '../support/database.ts';
import { askedSend, connectByPorts, routedEngines } from '../support/routed.ts';

const names = [homeCell, 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const options = { max: 2, lanes: 1, lists: 1 };
const database = await testCells({ epochs: evenly(names), options });
const { cells } = database;

test('sends that arrive anywhere: each process has lanes in two cells', async () => {
  const engines = await routedEngines(database, 4);
  await connectByPorts(engines);
  // Sessions keep the name of the process that looks after their message for as long as it is under way.
  const answers: (() => void)[] = [];
  for (const { sms } of engines) {
    const { answer } = sms;
    sms.answer = async (message) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return answer(message);
    };
  }
  const sends = await Promise.all(
    Array.from({ length: 160 }, (_, n) => engines[n % 4]?.face.send(askedSend()).then(({ kind }) => kind)),
  );
  expect(new Set(sends)).toEqual(new Set(['sent']));
  const cellsOf = new Map<string, string[]>();
  for (const {
    name,
    database: { db },
  } of cells) {
    const { rows } = await sql<{
      holder: string;
    }>`select distinct holder from verify_session where holder is not null`.execute(db);
    for (const { holder } of rows) cellsOf.set(holder, [...(cellsOf.get(holder) ?? []), name]);
  }
  expect(engines.map(({ processId }) => cellsOf.get(`process/${processId}`))).toEqual(
    engines.map((_, at) => names.slice(2 * at, 2 * at + 2)),
  );
  for (const go of answers) go();
});
