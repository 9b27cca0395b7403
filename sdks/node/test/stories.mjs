// Plays the stories of sdks/vectors/fake.json with a client.
import assert from 'node:assert/strict';
import { at, errorOf, invoke, kindOf } from './support.mjs';

/** @param fake what is told and asked beside calls; undefined: the client is a real one, to which nothing can be told. */
export async function play(steps, ramz, fake) {
  const saved = {};
  const idOf = (text) => (text?.startsWith?.('$') ? saved[text.slice(1)] : text);
  for (const [index, step] of steps.entries()) {
    const about = `step ${index + 1}`;
    if (step.advance_seconds) fake.advance(step.advance_seconds * 1000);
    else if (step.refuse) fake.refuse(step.refuse.to, step.refuse.code);
    else if (step.sent) {
      const numbers = fake?.sent.map(({ to }) => to);
      if (numbers) assert.deepEqual(numbers, step.sent, about);
    } else if (step.watch) await watched(ramz, idOf(step.watch), step, about);
    else await called(ramz, step, { saved, idOf, about });
  }
}

async function called(ramz, step, { saved, idOf, about }) {
  const given = Object.fromEntries(Object.entries(step.arguments).map(([key, value]) => [key, idOf(value)]));
  const call = () => invoke(ramz, step.operation, given, ...optionsOf(step));
  // A list asks when it is read.
  const isList = step.operation.endsWith('.list');
  const answering = isList ? itemsOf(call()) : call();
  if (step.error) return matches(await errorOf(answering), step.error, idOf, about);
  const answer = await answering;
  if (isList) {
    const without = (item) => (step.without ?? []).every((name) => !(name in item));
    assert.ok(answer.every(without), about);
    const ids = answer.map(({ id }) => id);
    return assert.deepEqual(ids, step.ids.map(idOf), about);
  }
  for (const [path, value] of Object.entries(step.expect ?? {}))
    assert.deepEqual(at(answer, path) ?? null, idOf(value), `${about}: ${path}`);
  if (step.same) assert.equal(answer.id, saved[step.same], about);
  if (step.other) assert.notEqual(answer.id, saved[step.other], about);
  if (step.timeline) assert.deepEqual(kindsOf(answer.timeline), step.timeline, about);
  if (step.save) saved[step.save] = answer.id;
}

async function itemsOf(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

async function watched(ramz, id, step, about) {
  const updates = [];
  const watch = async () => {
    for await (const { session, newEntries } of ramz.verify.watch(id)) {
      updates.push({ status: session.status, new: kindsOf(newEntries) });
      if (step.cancel_after_first && updates.length === 1) await ramz.verify.cancel(id);
    }
  };
  if (step.error) return matches(await errorOf(watch()), step.error, undefined, about);
  await watch();
  assert.deepEqual(updates, step.updates, about);
}

function matches(error, expected, idOf, about) {
  assert.equal(kindOf(error), expected.kind, about);
  assert.equal(error.code, expected.code, about);
  assert.equal(error.field ?? null, expected.field ?? null, about);
  if (expected.retry_after_seconds !== undefined)
    assert.equal(error.retryAfterSeconds, expected.retry_after_seconds, about);
  for (const [name, value] of Object.entries(expected.details ?? {}))
    assert.equal(error.details[name], idOf(value), `${about}: ${name}`);
}

const kindsOf = (timeline) => timeline.map(({ kind }) => kind);
const optionsOf = ({ idempotency_key: idempotencyKey }) => (idempotencyKey ? [{ idempotencyKey }] : []);
