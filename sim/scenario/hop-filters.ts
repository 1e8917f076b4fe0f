import type { ModelDeclaration, NestedModel, Values } from '../../models/model.ts';
import { writeClassId } from '../units/class-id.ts';
import { type ClassTable, rootHandleOf } from './class-table.ts';
import type { FilterSpec } from './classify.ts';
import { parseSelector, SelectorError } from './filter-selector.ts';
import type { HeaderFields } from './packet-header.ts';
import { parseAddress, parseProtocol } from './packet-header.ts';
import type { Message } from './problem.ts';
import type { FilterValues } from './scenario.ts';

const ETHERNET_HEADER_BYTES = 14;
const TCP = 6;
const UDP = 17;
/** Length of a full IP packet, which data of a TCP flow come in (bytes). */
const FULL_PACKET_BYTES = 1500;

/** Reports a problem of one filter: the key that it concerns, and what is wrong. */
export type ReportFilter = (index: number, key: string, message: Message) => void;

/** Turns the checked `filters:` of a hop into what {@link classify} asks. */
export function hopFilters(
  filters: readonly FilterValues[],
  classes: ClassTable | undefined,
  report: ReportFilter,
): readonly FilterSpec[] {
  return filters.flatMap((values, index) => {
    const { match, prio, protocol, parent, class: target } = values;
    try {
      const selector = parseSelector(match);
      if (target === undefined && selector.classFromMark !== true) {
        report(index, 'class', {
          expected: 'the class that it sends to',
          received: 'nothing',
          hint: 'only fw without a mark takes the class from the packet',
        });
      } else if (target !== undefined && classes !== undefined && !isKnown(target, classes)) {
        report(index, 'class', unknownTarget(target, classes));
      }
      return [{ parent: parent ?? 0, preference: prio, seesIpv4: seesIpv4(protocol), selector, target: target ?? 0 }];
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      report(index, 'match', { expected: error.expected, received: error.received, hint: error.hint });
      return [];
    }
  });
}

/** Whether `protocol …` of a filter lets IPv4 through. */
export function seesIpv4(protocol: string): boolean {
  return /^(?:ip|ipv4|all|0x0*800|2048|0x0*3|3)$/i.test(protocol);
}

/** Header fields of a flow as its keys say them; what they leave out, its source decides. */
export function flowHeader(
  checked: Values,
  source: NestedModel,
  declaration: ModelDeclaration,
  report: (key: string, message: Message) => void,
): HeaderFields {
  const isTcp = 'tcp' in declaration.parameters;
  const { size } = source.values;
  const lengthBytes = typeof size === 'number' ? size - ETHERNET_HEADER_BYTES : isTcp ? FULL_PACKET_BYTES : 0;
  const read = (key: string, parse: (text: string) => number | undefined, expected: string, absent: number): number => {
    const text = checked[key] as string | undefined;
    const value = text === undefined ? absent : parse(text);
    if (value === undefined) report(key, { expected, received: JSON.stringify(text) });
    return value ?? absent;
  };
  return {
    proto: read('proto', parseProtocol, 'a protocol such as tcp, udp or 17', isTcp ? TCP : UDP),
    src: read('src', parseAddress, 'an IPv4 address such as 10.0.0.1', 0),
    dst: read('dst', parseAddress, 'an IPv4 address such as 10.0.0.1', 0),
    sport: (checked.sport as number | undefined) ?? 0,
    dport: (checked.dport as number | undefined) ?? 0,
    tos: (checked.tos as number | undefined) ?? 0,
    mark: (checked.mark as number | undefined) ?? 0,
    lengthBytes: Math.max(0, lengthBytes),
  };
}

/** A target may also be the root itself (the direct queue) or a class of a qdisc that lists none. */
function isKnown(target: number, classes: ClassTable): boolean {
  if (classes.names.has(target) || target === rootHandleOf(classes)) return true;
  return !classes.declaresClasses || classes.handles.has(Math.floor(target / 0x10000)) || classes.names.size === 0;
}

function unknownTarget(target: number, classes: ClassTable): Message {
  const names = [...classes.names.values()];
  return {
    expected: 'a class of this hop',
    received: `${writeClassId(target)}, which it does not have`,
    hint: `it has ${names.join(', ')}`,
  };
}
