import type { Parameter, Values } from '../model.ts';

/** Stands for the handle of a qdisc that nobody named: no packet's priority has it. */
export const NO_HANDLE = -1;

/** The parameter by which a qdisc gets a handle that packets' classes can name. */
export const handleParameter = {
  type: 'class-id',
  help: 'Handle, such as "1:", by which a flow\'s `class` can choose among the classes of this qdisc; default none.',
} as const satisfies Parameter;

/** The major number of a qdisc's handle, or NO_HANDLE. */
export function handleMajorOf(values: Values): number {
  const handle = values.handle as number | undefined;
  return handle === undefined ? NO_HANDLE : handle >>> 16;
}
