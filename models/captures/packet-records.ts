import type { CaptureProblem } from './capture-error.ts';

/** Goes through the packets of a file, one at a time; the fields are of the packet that the last `next` found. */
export interface PacketRecords {
  /** Goes to the next packet; false: there is none. @throws CaptureError where the file is not as it should be */
  next(): boolean;
  /** Instant of the packet: whole seconds since any zero, and the ns of the second. */
  seconds: number;
  nanoseconds: number;
  /** As tc counts it: with the 14-byte Ethernet header, without FCS. */
  sizeBytes: number;
  /** Where the packet stands in the file, for messages. */
  readonly place: string;
  /** Where there is no next packet because the file ends within it, as when its writer is killed. */
  readonly cutOff?: CaptureProblem | undefined;
}
