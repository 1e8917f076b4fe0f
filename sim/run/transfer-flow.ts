import type {
  ClientConnection,
  ClientHost,
  ClientRequest,
  TransferClient,
  TransferRecord,
} from '../../models/curl/socket.ts';
import { buildLimiter } from '../../models/registry.ts';
import type { TransferSource } from '../../models/sources/transfers.ts';
import type { ReceivingApplication } from '../../models/tcp/receiver.ts';
import type { SendingApplication } from '../../models/tcp/sender.ts';
import type { TimerHandler } from '../engine/timers.ts';
import type { FlowSpec } from '../scenario/scenario.ts';
import type { NetworkFlow } from './endpoint.ts';
import type { FlowMeter } from './flow-meter.ts';
import type { Port } from './port.ts';
import { RANK_FLOW } from './ranks.ts';
import type { FlowResult, TransferResult } from './result.ts';
import { Staircase } from './series.ts';
import { TcpEndpoint, type Wiring } from './tcp-endpoint.ts';
import type { RunWindow } from './window.ts';

/** What a client on the network needs of the flow around it. */
interface Surroundings {
  readonly wiring: Wiring;
  readonly spec: FlowSpec;
  readonly path: readonly Port[];
  readonly meter: FlowMeter;
  onMoved(bytes: number, nowNs: number): void;
}

/** A connection as the client's socket, and the endpoint that carries it. */
interface Socket extends ClientConnection {
  readonly endpoint: TcpEndpoint;
}

/** Bytes of an HTTP/2 frame WINDOW_UPDATE, with its header. */
const WINDOW_UPDATE_BYTES = 13;

/** What a client tells the server, in the order in which it is under way. */
interface Message {
  /** Of the answer to a request; undefined: more may be sent of the one before. */
  readonly responseBytes?: number;
  readonly windowBytes: number;
}

/**
 * A connection over which a client downloads: the server is the sending end. What the client tells takes the way back; the
 * server writes the whole answer as soon as the request is there, or as much of it as the client's window lets it.
 */
function downloadSocket(around: Surroundings, client: TransferClient): Socket {
  const messages: Message[] = [];
  let unsentBytes = 0;
  let windowBytes = 0;
  const sending: SendingApplication = {
    onConnected() {},
    onRequest(nowNs) {
      const message = messages.shift();
      if (message?.responseBytes !== undefined) {
        unsentBytes = message.responseBytes;
        windowBytes = 0;
      }
      windowBytes += message?.windowBytes ?? 0;
      const bytes = Math.min(unsentBytes, windowBytes);
      unsentBytes -= bytes;
      windowBytes -= bytes;
      if (bytes > 0) endpoint.connection.sender.write(bytes, nowNs);
    },
    onDrained() {},
  };
  const receiving: ReceivingApplication = {
    onConnected: (nowNs) => client.onConnected(socket, nowNs),
    onReadable: (nowNs) => client.onReadable(nowNs),
  };
  const endpoint = new TcpEndpoint(
    around.wiring,
    around.spec,
    around.path,
    around.meter,
    'receiver',
    sending,
    receiving,
  );
  const { receiver } = endpoint.connection;
  const socket: Socket = {
    endpoint,
    sendSpaceBytes: 0,
    get queuedBytes() {
      return receiver.queuedBytes;
    },
    read: (maxBytes, nowNs) => receiver.read(maxBytes, nowNs),
    write: () => 0,
    request({ headerBytes, responseBytes, windowBytes = Number.POSITIVE_INFINITY }: ClientRequest, nowNs: number) {
      messages.push({ responseBytes, windowBytes });
      endpoint.connection.request(headerBytes, nowNs);
    },
    grant(bytes: number, nowNs: number) {
      messages.push({ windowBytes: bytes });
      endpoint.connection.request(WINDOW_UPDATE_BYTES, nowNs);
    },
  };
  return socket;
}

/**
 * A connection over which a client uploads: the client is the sending end. The server reads all that comes and answers,
 * on the way back, when it has the whole request.
 */
function uploadSocket(around: Surroundings, client: TransferClient): Socket {
  /** Of all requests so far: what the server will have read when the last is complete. */
  let requestedBytes = 0;
  let responseBytes = 0;
  let answered = true;
  let queuedBytes = 0;
  const sending: SendingApplication = {
    onConnected: (nowNs) => client.onConnected(socket, nowNs),
    onRequest(nowNs) {
      queuedBytes += responseBytes;
      client.onReadable(nowNs);
    },
    onDrained() {},
  };
  const receiving: ReceivingApplication = {
    onConnected() {},
    onReadable(nowNs) {
      const { receiver } = endpoint.connection;
      receiver.read(Number.MAX_SAFE_INTEGER, nowNs);
      if (answered || receiver.readBytes < requestedBytes) return;
      answered = true;
      endpoint.connection.request(responseBytes, nowNs);
    },
  };
  const onAcked = (nowNs: number): void => {
    if (sender.spaceBytes > 0) client.onWritable(nowNs);
  };
  const endpoint = new TcpEndpoint(
    around.wiring,
    around.spec,
    around.path,
    around.meter,
    'sender',
    sending,
    receiving,
    onAcked,
  );
  const { sender } = endpoint.connection;
  const socket: Socket = {
    endpoint,
    get queuedBytes() {
      return queuedBytes;
    },
    get sendSpaceBytes() {
      return sender.spaceBytes;
    },
    read(maxBytes) {
      const bytes = Math.min(maxBytes, queuedBytes);
      queuedBytes -= bytes;
      return bytes;
    },
    write(maxBytes, nowNs) {
      const bytes = Math.min(maxBytes, sender.spaceBytes);
      if (bytes > 0) sender.write(bytes, nowNs);
      return bytes;
    },
    request(request: ClientRequest, nowNs: number) {
      requestedBytes += request.headerBytes + request.bodyBytes;
      responseBytes = request.responseBytes;
      answered = false;
      sender.write(request.headerBytes, nowNs);
    },
    // The server's answer to an upload is never held back.
    grant() {},
  };
  return socket;
}

/** One client of a transfer flow, with the connection it uses now. */
class Client implements ClientHost, TimerHandler {
  readonly client: TransferClient;
  readonly finishedTransfers: TransferRecord[] = [];
  readonly #around: Surroundings;
  readonly #timer: number;
  readonly #uploads: boolean;
  #socket: Socket | undefined;
  #stopped = false;

  constructor(around: Surroundings, source: TransferSource) {
    const { values } = around.spec.source;
    this.#around = around;
    this.#timer = around.wiring.timers.register(this, RANK_FLOW);
    this.#uploads = values.direction === 'upload';
    this.client = source.createClient(values, this, buildLimiter);
  }

  connect(nowNs: number): void {
    this.#socket?.endpoint.close();
    this.#socket = this.#uploads ? uploadSocket(this.#around, this.client) : downloadSocket(this.#around, this.client);
    this.#socket.endpoint.connection.open(nowNs);
  }

  wakeAt(timeNs: number): void {
    const { timers } = this.#around.wiring;
    // What still arrives after the stop finds nobody to read it.
    if (this.#stopped) return;
    if (timeNs === Number.POSITIVE_INFINITY) timers.cancel(this.#timer);
    else timers.arm(this.#timer, Math.max(timeNs, timers.nowNs));
  }

  /** Ends it for good: the transfer under way is cut, and none follows. */
  stop(): void {
    this.#stopped = true;
    this.#around.wiring.timers.cancel(this.#timer);
    this.#socket?.endpoint.close();
  }

  moved(bodyBytes: number, nowNs: number): void {
    this.#around.onMoved(bodyBytes, nowNs);
  }

  finished(transfer: TransferRecord): void {
    this.finishedTransfers.push(transfer);
  }

  onTimer(_timer: number, nowNs: number): void {
    this.client.onTimer(nowNs);
  }
}

/** A flow of clients that move bodies over TCP connections of their own: curl, and applications with textbook limiters. */
export class TransferFlow implements NetworkFlow, TimerHandler {
  readonly #spec: FlowSpec;
  readonly #source: TransferSource;
  readonly #wiring: Wiring;
  readonly #meter: FlowMeter;
  readonly #window: RunWindow;
  readonly #clients: readonly Client[];
  readonly #timer: number;
  /** Instant from which on nothing is sent; Infinity: none. */
  readonly #stopNs: number;
  #started = false;
  readonly #received: Staircase | undefined;
  #movedBytes = 0;
  #warmMovedBytes = 0;

  constructor(
    wiring: Wiring,
    spec: FlowSpec,
    source: TransferSource,
    path: readonly Port[],
    meter: FlowMeter,
    window: RunWindow,
    receivedSteps: number,
  ) {
    this.#spec = spec;
    this.#source = source;
    this.#wiring = wiring;
    this.#meter = meter;
    this.#window = window;
    this.#received = receivedSteps > 0 ? new Staircase(receivedSteps) : undefined;
    this.#timer = wiring.timers.register(this, RANK_FLOW);
    this.#stopNs = spec.stopNs === undefined ? Number.POSITIVE_INFINITY : window.startNs + spec.stopNs;
    const around: Surroundings = { wiring, spec, path, meter, onMoved: (bytes, nowNs) => this.#onMoved(bytes, nowNs) };
    const parallel = spec.source.values.parallel as number;
    this.#clients = Array.from({ length: parallel }, () => new Client(around, source));
  }

  start(): void {
    this.#wiring.timers.arm(this.#timer, this.#window.startNs + this.#spec.startNs);
  }

  onTimer(_timer: number, nowNs: number): void {
    if (this.#started) {
      for (const client of this.#clients) client.stop();
      return;
    }
    this.#started = true;
    for (const { client } of this.#clients) client.start(nowNs);
    if (this.#stopNs !== Number.POSITIVE_INFINITY) this.#wiring.timers.arm(this.#timer, this.#stopNs);
  }

  warm(): void {
    this.#meter.warm();
    this.#warmMovedBytes = this.#movedBytes;
  }

  result(): FlowResult {
    const base = this.#meter.result(this.#movedBytes - this.#warmMovedBytes);
    const transfers = this.#clients.flatMap((client) => this.#transfersOf(client));
    const [transfer] = transfers;
    return {
      ...base,
      ...(transfer === undefined ? {} : { transfer }),
      ...(transfers.length > 1 ? { transfers } : {}),
      ...(this.#received === undefined ? {} : { series: { ...base.series, received: this.#received.finish() } }),
    };
  }

  #onMoved(bytes: number, nowNs: number): void {
    this.#movedBytes += bytes;
    this.#received?.add((nowNs - this.#window.startNs) / 1e9, this.#movedBytes);
  }

  #transfersOf({ client, finishedTransfers }: Client): TransferResult[] {
    const limitBitsPerSecond = this.#source.limitBitsPerSecond(this.#spec.source.values);
    const result = (bytes: number, startNs: number, endNs: number, completed: boolean): TransferResult => {
      const seconds = (endNs - startNs) / 1e9;
      const bitsPerSecond = seconds > 0 ? (bytes * 8) / seconds : 0;
      const deviationPercent = limitBitsPerSecond > 0 ? 100 * (bitsPerSecond / limitBitsPerSecond - 1) : 0;
      return { bytes, seconds, bitsPerSecond, limitBitsPerSecond, deviationPercent, completed };
    };
    const results = finishedTransfers.map(({ bytes, startNs, endNs }) => result(bytes, startNs, endNs, true));
    const { current } = client;
    const endNs = Math.min(this.#window.endNs, this.#stopNs);
    if (current !== undefined) results.push(result(current.bytes, current.startNs, endNs, false));
    return results;
  }
}
