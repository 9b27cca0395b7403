// Loaded into every Node process of a run with `--late`: three of a hundred writes to a socket are late, so that what is written to two connections
// arrives in another order. What a connection still has to write when it is destroyed is lost.
import net from 'node:net';

const share = 0.03;
const mostMs = Number(process.env.RAMZ_SHAKE_LATE_MS);
/** Tests that move the clock move their own. */
const { setTimeout } = globalThis;

/** Node writes at once to a pipe that it says something on, as far as there is room: else an exit right after it would lose that. */
const isOutput = ({ fd }) => fd === 1 || fd === 2;

for (const name of ['_write', '_writev']) {
  const write = net.Socket.prototype[name];
  net.Socket.prototype[name] = function (...args) {
    if (isOutput(this) || Math.random() >= share) return write.apply(this, args);
    setTimeout(() => write.apply(this, args), Math.random() * mostMs);
  };
}
