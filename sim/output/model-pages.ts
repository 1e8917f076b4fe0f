import type { ModelDeclaration, ModelRole, Parameter, Parameters, ParameterType } from '../../models/model.ts';
import type { ScenarioPart } from '../scenario/scenario-parts.ts';
import { describeType } from '../scenario/type-words.ts';
import { type Style, styleOf, type Terminal } from './terminal.ts';
import { wrapText } from './wrap.ts';

const ROLES: Readonly<Record<ModelRole, string>> = {
  shaper: 'shapers and queues of a hop (shaper:)',
  source: 'sources of a flow (source:)',
  congestion: 'congestion control of TCP (tcp: { congestion: })',
  limiter: 'limiters of an application (limiter:)',
};

/** All models by role and the parts of a scenario, one line each. */
export function modelsList(
  models: readonly ModelDeclaration[],
  parts: readonly ScenarioPart[],
  terminal: Terminal,
): string {
  const style = styleOf(terminal);
  const names = [...models.map(({ kind }) => kind), ...parts.map(({ name }) => name)];
  const width = Math.max(...names.map((name) => name.length));
  const entry = (name: string, summary: string): string[] =>
    hanging(`  ${style.bold(name.padEnd(width))}  `, width + 4, summary, terminal);
  const roles = (Object.keys(ROLES) as ModelRole[]).filter((role) => models.some((model) => model.role === role));
  const sections = roles.map((role) => {
    const lines = models.filter((model) => model.role === role).flatMap(({ kind, summary }) => entry(kind, summary));
    return [ROLES[role], ...lines].join('\n');
  });
  sections.push(['parts of a scenario', ...parts.flatMap(({ name, summary }) => entry(name, summary))].join('\n'));
  return `${sections.join('\n\n')}\nsim models NAME shows one in full.\n`;
}

/** A part of a scenario in full: its keys with types, defaults and help, or the figures that it speaks of. */
export function partPage({ name, key, summary, parameters, keys, figures }: ScenarioPart, terminal: Terminal): string {
  const style = styleOf(terminal);
  const place = name === 'scenario' ? 'the file' : `${key ?? name}:`;
  const lines = wrapText(`${name} (${place}): ${summary}`, terminal.columns);
  lines[0] = style.bold(name) + lines[0]!.slice(name.length);
  if (parameters !== undefined || keys !== undefined) lines.push('', 'keys');
  if (parameters !== undefined) lines.push(...parameterLines(parameters, 1, terminal, style));
  for (const [word, help] of Object.entries(keys ?? {})) {
    lines.push(`  ${style.bold(word)}`, ...wrapText(help, terminal.columns - 6).map((line) => `      ${line}`));
  }
  const paths = Object.entries(figures ?? {});
  if (paths.length > 0) {
    const width = Math.max(...paths.map(([path]) => path.length));
    lines.push('', 'figures, beside the counters of each model; NAME is a name of the scenario, or a number in a list');
    for (const [path, help] of paths) {
      lines.push(...hanging(`  ${style.bold(path.padEnd(width))}  `, width + 4, help, terminal));
    }
  }
  return `${lines.join('\n')}\n`;
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
  if (preset !== undefined && preset !== '') parts.push(`default ${preset}`);
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
