// The standard workload as a model of simjs (npm), to compare speeds: packets at a constant rate, a queue of 1000, one
// token bucket in ns as HTB of 6.12 counts it, a link. Prints one line of JSON.
import { createRequire } from 'node:module';

// It gives itself to a window only. Found beside the project or on NODE_PATH.
globalThis.window = {};
createRequire(import.meta.url)('simjs');
const { Entity, Sim } = globalThis.window.Sim;
const seconds = Number(process.argv[2]);
const [GAP_NS, COST_NS, BURST_NS, LINK_NS, LIMIT] = [7040, 12050, 23063, 6880, 1000];

class Server extends Entity {
  queue = [];
  isIdle = true;
  tokens = BURST_NS;
  checkpoint = 0;
  sent = 0;

  start() {}

  take(arrivedNs) {
    if (this.queue.length >= LIMIT) return;
    this.queue.push(arrivedNs);
    if (this.isIdle) this.serve();
  }

  serve() {
    this.isIdle = this.queue.length === 0;
    if (this.isIdle) return;
    const now = this.time();
    const tokens = Math.min(this.tokens + now - this.checkpoint, BURST_NS);
    if (tokens < 0) {
      this.setTimer(-tokens).done(this.serve);
      return;
    }
    this.tokens = tokens - COST_NS;
    this.checkpoint = now;
    this.queue.shift();
    this.setTimer(LINK_NS).done(this.leave);
  }

  leave() {
    this.sent++;
    this.serve();
  }
}

class Source extends Entity {
  packets = 0;

  start(server) {
    this.server = server;
    this.send();
  }

  send() {
    this.packets++;
    this.server.take(this.time());
    this.setTimer(GAP_NS).done(this.send);
  }
}

const sim = new Sim();
const server = sim.addEntity(Server);
const source = sim.addEntity(Source, 'source', server);
const begin = process.hrtime.bigint();
sim.simulate(seconds * 1e9);
const elapsed = Number(process.hrtime.bigint() - begin) / 1e9;
console.log(JSON.stringify({ packets: source.packets, received: server.sent, seconds: elapsed }));
