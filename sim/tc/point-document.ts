import type { Mapping } from './scenario-qdisc.ts';

/** The document of one point of a sweep: its variables fixed, without what concerns the sweep or other files. */
export function pointDocument(document: unknown, variables: Readonly<Record<string, string>>): Mapping {
  const {
    sweep: _,
    reference: __,
    vars,
    ...rest
  } = (typeof document === 'object' && document !== null ? document : {}) as Mapping;
  const values = { ...((vars ?? {}) as Mapping), ...variables };
  return Object.keys(values).length === 0 ? rest : { vars: values, ...rest };
}
