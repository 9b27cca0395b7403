// The faults of a schedule, as they hit the world: processes that are killed, asked to end, frozen or cut off, clocks that are set, a database and
// an operator in trouble.
import type { Operators } from './carrier.ts';
import type { Clients } from './clients.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Network } from './network.ts';
import type { SimulatedProcess } from './process.ts';
import type { Receipts } from './receipts.ts';
import type { Fault } from './schedule.ts';
import { mostStopMs } from './stopping.ts';
import type { Tables } from './store/tables.ts';
import type { VirtualTime } from './time.ts';

/** What faults hit. */
export interface Hit {
  time: VirtualTime;
  processes: ReadonlyMap<string, SimulatedProcess>;
  clients: Clients;
  receipts: Receipts;
  network: Network;
  operators: Operators;
  database: SimulatedDatabase;
  tables: Tables;
  note(text: string): void;
  happened(kind: string): void;
  /** Starts a process in the place of one that has ended. */
  start(name: string, skewMs: number): void;
}

export class Faults {
  readonly #hit: Hit;
  #restarts = 0;

  constructor(hit: Hit) {
    this.#hit = hit;
  }

  inject(fault: Fault): void {
    const { processes, note } = this.#hit;
    const statement = fault.kind === 'database' ? fault.statement : '';
    note(`fault ${fault.kind} ${statement} p${fault.process} for ${fault.forMs} ms`);
    const process = processes.get(`p${fault.process}`);
    if (fault.kind === 'database') this.#troubleDatabase(fault);
    else if (fault.kind === 'operator') this.#operatorDown(fault);
    else if (process?.host.state === 'running') this.#trouble(process, fault);
  }

  #troubleDatabase({ statement: kind, share, only, process, forMs }: Fault): void {
    const { database, time } = this.#hit;
    const host = process < 0 ? null : `p${process}`;
    database.faults.push({ kind, share, only, host, until: time.now + forMs });
  }

  #operatorDown({ kind, operator, forMs }: Fault): void {
    const { operators, processes, time, happened } = this.#hit;
    const change = (isDown: boolean) => {
      if (isDown) operators.down.add(operator);
      else operators.down.delete(operator);
      // Each hears of it as of anything that arrives; a frozen one when it wakes up.
      for (const { host, sms } of processes.values()) time.after(0, host, () => sms.operatorChanged(operator));
    };
    if (operators.down.has(operator)) return;
    happened(kind);
    change(true);
    time.after(forMs, null, () => change(false));
  }

  #trouble(process: SimulatedProcess, fault: Fault): void {
    const { time, network, tables, happened } = this.#hit;
    const { id, host } = process;
    const { kind, forMs, share } = fault;
    happened(kind);
    switch (kind) {
      case 'kill':
        this.#end(process, fault);
        return;
      case 'stop':
        this.#stop(process, fault);
        return;
      case 'freeze':
        host.state = 'frozen';
        time.after(forMs, null, () => {
          if (host.state === 'frozen') time.wake(host);
        });
        return;
      case 'cut':
        network.cut(id, forMs, share < 0.5);
        time.after(forMs, host, () => process.peerEvents.emit('listening'));
        return;
      case 'slow':
        network.slow(id, forMs);
        return;
      case 'clock':
        host.skewMs += share > 0.4 ? 700 : -700;
        return;
      case 'lease': {
        const row = tables.processes.get(id);
        if (row) row.leaseUntil = time.now - 1;
      }
    }
  }

  #stop(process: SimulatedProcess, fault: Fault): void {
    const { time, note } = this.#hit;
    const stopped = () => {
      note(`${process.id} has stopped`);
      time.after(0, null, () => this.#end(process, fault));
    };
    time.after(0, process.host, () => void process.stop().then(stopped));
    time.after(mostStopMs, null, () => this.#end(process, fault));
  }

  /** Nothing of it runs any more, and another one is started in its place. */
  #end({ id, host }: SimulatedProcess, { process, forMs }: Fault): void {
    const { time, clients, receipts, network, start } = this.#hit;
    if (host.state === 'dead') return;
    host.state = 'dead';
    clients.died(id);
    receipts.died(id);
    network.died(id);
    this.#restarts += 1;
    const name = `p${process}r${this.#restarts}`;
    time.after(forMs, null, () => start(name, host.skewMs));
  }
}
