/** A mapping of the scenario as written. */
export type Mapping = Readonly<Record<string, unknown>>;

/** The value as a mapping; an empty one where it is none. */
export function mappingOf(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
}

/** A scalar of the scenario as text; undefined where there is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

function fill(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([^}]+)\}/g, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] as string) : whole,
    );
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, variables)]));
  }
  return value;
}

/** The scenario of one point: every `${name}` replaced, grid and variables left out. */
export function resolveDocument(document: unknown, variables: Readonly<Record<string, string>>): Mapping {
  const { vars, sweep: _, ...rest } = mappingOf(document);
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(mappingOf(vars))) values[name] = textOf(value) ?? '';
  return fill(rest, { ...values, ...variables }) as Mapping;
}

const BARE = /^[A-Za-z][A-Za-z0-9 _./-]*$/;
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

function scalarText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  const bare = BARE.test(value) && !value.endsWith(' ') && !WORDS.has(value.toLowerCase());
  return bare ? value : JSON.stringify(value);
}

/** Writes plain data as YAML; strings that could be read as anything else are quoted. */
export function yamlText(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return value
      .map(
        (item) =>
          `${indent}- ${typeof item === 'object' && item !== null ? yamlText(item, `${indent}  `).trimStart() : scalarText(item)}`,
      )
      .join('\n');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return '{}';
    return entries
      .map(([key, item]) => {
        const name = scalarText(key);
        if (typeof item !== 'object' || item === null) return `${indent}${name}: ${scalarText(item)}`;
        const empty = Object.keys(item).length === 0;
        return empty
          ? `${indent}${name}: ${Array.isArray(item) ? '[]' : '{}'}`
          : `${indent}${name}:\n${yamlText(item, `${indent}  `)}`;
      })
      .join('\n');
  }
  return scalarText(value);
}
