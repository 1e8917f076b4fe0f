/** A checked option of a qdisc or class, in tc's words; `true` for a flag, a record for what a scenario has as a mapping. */
export type TcOption = string | number | true | readonly number[] | Readonly<Record<string, string | number>>;

/** What an import says of one line of its input. */
export interface TcMessage {
  /** 1-based line of the script or of the shown output. */
  readonly line: number;
  /** `error`: left out, the scenario is not what the script sets up (exit code 3); `warning`: imported with a difference; `info`: understood. */
  readonly severity: 'error' | 'warning' | 'info';
  readonly text: string;
  readonly hint?: string;
}

/** A qdisc as a script sets it up. */
export interface TcQdisc {
  readonly line: number;
  readonly kind: string;
  /** Upper 16 bits of its handle; 0: the kernel chooses one. */
  readonly handle: number;
  /** Class that holds it (u32), `root`, or `ingress` (also for clsact). */
  readonly parent: number | 'root' | 'ingress';
  readonly options: Readonly<Record<string, TcOption>>;
  /** Parts that a scenario does not know, as written. */
  readonly unknown: readonly string[];
  /** Options of its size table: `mtu`, `tsize`, `mpu`, `overhead`, `linklayer`. */
  readonly sizeTable?: Readonly<Record<string, TcOption>>;
}

/** A class of an HTB qdisc. */
export interface TcClass {
  readonly line: number;
  /** major << 16 | minor. */
  readonly id: number;
  /** Parent class; absent: below the qdisc itself. */
  readonly parent?: number;
  readonly options: Readonly<Record<string, TcOption>>;
  readonly unknown: readonly string[];
}

/** What a filter does with a packet that it matches. */
export type TcAction =
  | {
      readonly kind: 'police';
      readonly options: Readonly<Record<string, TcOption>>;
      /** What becomes of a packet beyond the rate, and within it (absent: it passes). */
      readonly exceed: string;
      readonly conform?: string;
    }
  | { readonly kind: 'redirect'; readonly device: string }
  | { readonly kind: 'drop' }
  | { readonly kind: 'pass' };

/** A filter as a script sets it up. */
export interface TcFilter {
  readonly line: number;
  /** Qdisc (minor 0) or class that it is attached to; `egress` for clsact's. */
  readonly parent: number | 'ingress' | 'egress';
  /** As written; 0: the kernel chooses one below those that exist. */
  readonly preference: number;
  readonly protocol: string;
  readonly kind: string;
  /** Selector in tc's words, e.g. `u32 match ip dport 22 0xffff`. */
  readonly selector: string;
  /** Class that it sends to (u32). */
  readonly target?: number;
  readonly actions: readonly TcAction[];
  readonly unknown: readonly string[];
  /** Hash table of u32 in which it stands; absent: the root table. */
  readonly entryOf?: { readonly table: number; readonly bucket: number };
  /** Hash table in which what it matches is looked up. */
  readonly link?: { readonly table: number; readonly mask: number; readonly offset: number };
}

/** What stood at the root or the ingress of a device before it was removed. */
export interface RemovedPart {
  /** Line that removed it. */
  readonly line: number;
  readonly qdiscs: readonly TcQdisc[];
  readonly classes: readonly TcClass[];
  readonly filters: readonly TcFilter[];
}

/** Everything that is set up on one network device. */
export interface TcDevice {
  readonly name: string;
  readonly qdiscs: TcQdisc[];
  readonly classes: TcClass[];
  readonly filters: TcFilter[];
  /** Buckets of the hash tables of u32, by their number. */
  readonly tables: Map<number, number>;
  /** Kinds of the qdiscs that were refused, by handle. */
  readonly refused: Map<number, string>;
  /** Handles of qdiscs that only pass on to the one that they hold. */
  readonly transparent: Set<number>;
  readonly removed: Map<'root' | 'ingress', RemovedPart>;
  /** From `ip link set … txqueuelen`. */
  txQueueLength?: number;
}

/** Traffic control of a machine, device by device in the order of their first mention. */
export class TcTree {
  readonly devices = new Map<string, TcDevice>();

  /** The device of that name, made at its first mention. */
  device(name: string): TcDevice {
    let device = this.devices.get(name);
    if (device === undefined) {
      device = {
        name,
        qdiscs: [],
        classes: [],
        filters: [],
        tables: new Map(),
        refused: new Map(),
        transparent: new Set(),
        removed: new Map(),
      };
      this.devices.set(name, device);
    }
    return device;
  }
}

/** Thrown inside the import where one command cannot be understood; becomes a message with its line. */
export class TcFault extends Error {
  override readonly name = 'TcFault';
  readonly hint: string | undefined;
  /** `warning` where what is left out makes no difference to IPv4 flows. */
  readonly severity: 'error' | 'warning';

  constructor(message: string, hint?: string, severity: 'error' | 'warning' = 'error') {
    super(message);
    this.hint = hint;
    this.severity = severity;
  }
}

/** The qdisc with that upper half of a handle. */
export function findQdisc(device: TcDevice, handle: number): TcQdisc | undefined {
  return device.qdiscs.find((qdisc) => qdisc.handle === handle && handle !== 0);
}

/** The qdisc at the root of the device's egress. */
export function rootQdisc(device: TcDevice): TcQdisc | undefined {
  return device.qdiscs.find((qdisc) => qdisc.parent === 'root');
}
