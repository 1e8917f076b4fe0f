import type { Result } from '../run/result.ts';
import { formatMail } from './mail.ts';

/** The transfers of some results in the layout of the mail: a group a flow and point, headed where there are several. */
export function mailGroups(results: readonly Result[]): string {
  const groups = results.flatMap((result) =>
    result.points.flatMap(({ variables, flows }) =>
      Object.entries(flows).flatMap(([name, flow]) => {
        const transfers = flow.transfers ?? (flow.transfer === undefined ? [] : [flow.transfer]);
        if (transfers.length === 0) return [];
        const values = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`);
        const source = results.length === 1 ? [] : [result.scenario.file];
        return [{ heading: [...source, ...values, name].join(' '), lines: formatMail(transfers) }];
      }),
    ),
  );
  const headed = groups.length > 1;
  return groups.map(({ heading, lines }) => `${headed ? `${heading}\n` : ''}${lines.join('\n')}\n`).join('\n');
}
