/**
 * The application's side of a TCP connection. A read takes what is queued at its instant; an application that needs time for
 * it reads on later.
 */
export interface ClientConnection {
  /** In-order bytes that may be read now. */
  readonly queuedBytes: number;
  /** Free space of the send buffer (bytes); 0: the socket is not writable. */
  readonly sendSpaceBytes: number;
  /** Takes up to `maxBytes` from the receive queue; the window may open. Returns how many it took. */
  read(maxBytes: number, nowNs: number): number;
  /** Hands up to `maxBytes` of a body to the send buffer. Returns how many it took. */
  write(maxBytes: number, nowNs: number): number;
  /** Sends a request; the server's answer follows it, or follows the last byte of its body. */
  request(request: ClientRequest, nowNs: number): void;
  /** Lets the server send so much more of an answer whose request came with a window (HTTP/2). */
  grant(bytes: number, nowNs: number): void;
}

/** One request and what the server does with it. */
export interface ClientRequest {
  /** Request line and header (bytes). */
  readonly headerBytes: number;
  /** Body that the client writes after it (bytes); 0: a download. */
  readonly bodyBytes: number;
  /** All that the server sends in answer, as it is on the stream: header, framing and body (bytes). */
  readonly responseBytes: number;
  /** How much of the answer the server may send before it is granted more (bytes); absent: all. */
  readonly windowBytes?: number;
}

/** One finished transfer. */
export interface TransferRecord {
  /** Before the connection is opened. */
  readonly startNs: number;
  /** The instant at which the last byte was processed. */
  readonly endNs: number;
  /** Body (bytes). */
  readonly bytes: number;
}

/** What a client asks of its surroundings. */
export interface ClientHost {
  /** Opens a connection in place of the one before; {@link TransferClient.onConnected} follows when it stands. */
  connect(nowNs: number): void;
  /** Calls {@link TransferClient.onTimer} at `timeNs`, replacing what was asked for before; Infinity: never. */
  wakeAt(timeNs: number): void;
  /** Tells that `bodyBytes` of the body were moved in one visit of the socket. */
  moved(bodyBytes: number, nowNs: number): void;
  /** Tells that a transfer is complete. */
  finished(transfer: TransferRecord): void;
}

/** An application that moves bodies over connections; driven by its host, it has no clock of its own. */
export interface TransferClient {
  /** Begins the first transfer. */
  start(nowNs: number): void;
  onConnected(connection: ClientConnection, nowNs: number): void;
  /** Bytes were queued. May be called for each segment. */
  onReadable(nowNs: number): void;
  /** The send buffer has room again. */
  onWritable(nowNs: number): void;
  onTimer(nowNs: number): void;
  /** Body bytes of the transfer under way, and the instant at which it began; undefined between transfers. */
  readonly current: { readonly startNs: number; readonly bytes: number } | undefined;
}

/** Time from the arrival of data to the run of a process that polls for it (ns). */
export const SOCKET_WAKE_NS = 100_000;
