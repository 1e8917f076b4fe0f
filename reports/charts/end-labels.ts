import { clipText } from '../html.ts';

/** Labels for the ends of lines: where they are too long, without the words that all of them have in common. */
export function endLabels(labels: readonly string[], limit: number): string[] {
  if (labels.every((label) => label.length <= limit)) return [...labels];
  const parts = labels.map((label) => label.split(', ').map((part) => part.split(' ')));
  const isEven = parts.every((own) => own.length === parts[0]?.length);
  const shortened = !isEven
    ? [...labels]
    : parts.map((own) =>
        own
          .map((words, column) => {
            const rest = words.filter((word) => !parts.every((other) => other[column]?.includes(word)));
            return rest.join(' ');
          })
          .filter((part) => part !== '')
          .join(', '),
      );
  const isTold = new Set(shortened).size === new Set(labels).size && shortened.every((label) => label !== '');
  return (isTold ? shortened : labels).map((label) => clipText(label, limit));
}
