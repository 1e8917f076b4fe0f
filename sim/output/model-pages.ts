import type { ModelDeclaration, ModelRole, Parameter, Parameters, ParameterType } from '../../models/model.ts';
import { describeType } from '../scenario/type-words.ts';
import { type Style, styleOf, type Terminal } from './terminal.ts';
import { wrapText } from './wrap.ts';

const ROLES: Readonly<Record<ModelRole, string>> = {
  shaper: 'shapers and queues of a hop (shaper:)',
  source: 'sources of a flow (source:)',
  congestion: 'congestion control of TCP (tcp: { congestion: })',
  limiter: 'limiters of an application (limiter:)',
};

/** All models by role, one line each. */
export function modelsList(models: readonly ModelDeclaration[], terminal: Terminal): string {
  const style = styleOf(terminal);
  const width = Math.max(...models.map(({ kind }) => kind.length));
  const roles = (Object.keys(ROLES) as ModelRole[]).filter((role) => models.some((model) => model.role === role));
  const sections = roles.map((role) => {
    const lines = models
      .filter((model) => model.role === role)
      .flatMap(({ kind, summary }) => hanging(`  ${style.bold(kind.padEnd(width))}  `, width + 4, summary, terminal));
    return [ROLES[role], ...lines].join('\n');
  });
  return `${sections.join('\n\n')}\n`;
}

/** A model in full: parameters with types, defaults and help, and the counters that it reports. */
export function modelPage(model: ModelDeclaration, terminal: Terminal): string {
  const style = styleOf(terminal);
  const lines = [`${style.bold(model.kind)} (${model.role}): ${model.summary}`];
  lines.push('', 'parameters', ...parameterLines(model.parameters, 1, terminal, style));
  const counters = Object.entries(model.counters);
  if (counters.length > 0) {
    const width = Math.max(...counters.map(([name]) => name.length));
    lines.push('', 'counters');
    for (const [name, help] of counters) {
      lines.push(...hanging(`  ${style.bold(name.padEnd(width))}  `, width + 4, help, terminal));
    }
  }
  return `${lines.join('\n')}\n`;
}

function parameterLines(parameters: Parameters, depth: number, terminal: Terminal, style: Style): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    const nested = nestedParameters(parameter.type);
    const head = `${indent}${style.bold(name)}  ${style.dim(describeType(parameter.type) + conditions(parameter))}`;
    const help = wrapText(parameter.help, terminal.columns - indent.length - 4).map((line) => `${indent}    ${line}`);
    const below = nested === undefined ? [] : parameterLines(nested, depth + 2, terminal, style);
    return [head, ...help, ...below];
  });
}

function conditions({ required, default: preset, minimum, maximum }: Parameter): string {
  const parts: string[] = [];
  if (required === true) parts.push('required');
  if (preset !== undefined) parts.push(`default ${preset}`);
  if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined && minimum !== 0) parts.push(`at least ${minimum}`);
  else if (maximum !== undefined) parts.push(`at most ${maximum}`);
  return parts.map((part) => `; ${part}`).join('');
}

/** The keys of a mapping type, those of alternatives included. */
function nestedParameters(type: ParameterType): Parameters | undefined {
  if (typeof type === 'string') return undefined;
  if ('record' in type) return type.record;
  if ('mapOf' in type) return type.mapOf;
  if ('listOf' in type) return nestedParameters(type.listOf);
  if ('oneOf' in type) return type.oneOf.map(nestedParameters).find((nested) => nested !== undefined);
  return undefined;
}

function hanging(start: string, width: number, text: string, terminal: Terminal): string[] {
  const lines = wrapText(text, terminal.columns - width);
  return lines.map((line, index) => (index === 0 ? start : ' '.repeat(width)) + line);
}
