import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { OutputFile } from './output-file.ts';
import type { Cell, ColumnKind, PointColumn, PointRow } from './point-table.ts';

/** Rows of a row group: enough to compress well, few enough to hold in memory. */
const GROUP_ROWS = 10_000;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const TYPES: Readonly<Record<ColumnKind, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  count: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
};

/** Writes rows as a Parquet file, a group at a time. */
export class ParquetTable {
  readonly #file: OutputFile;
  readonly #columns: readonly PointColumn[];
  readonly #bytes = new ByteWriter(GROUP_ROWS * 8);
  readonly #writer: ParquetWriter;
  #rows: PointRow[] = [];

  constructor(file: OutputFile, columns: readonly PointColumn[], createdBy: string) {
    this.#file = file;
    this.#columns = columns;
    const schema: SchemaElement[] = [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...TYPES[kind] })),
    ];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy });
  }

  async add(row: PointRow): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= GROUP_ROWS) await this.#writeGroup();
  }

  async finish(): Promise<void> {
    if (this.#rows.length > 0) await this.#writeGroup();
    await this.#writer.finish();
    this.#takeBytes();
  }

  async #writeGroup(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    const columnData = this.#columns.map(({ name, kind, of }) => ({
      name,
      data: rows.map((row) => cellOf(of(row), kind)),
    }));
    await this.#writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    this.#takeBytes();
  }

  /** Moves what was written from memory to the file. */
  #takeBytes(): void {
    this.#file.writeBytes(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }
}

function cellOf(value: Cell, kind: ColumnKind): string | number | boolean | bigint | null {
  if (value === undefined) return null;
  return kind === 'count' ? BigInt(value) : value;
}
