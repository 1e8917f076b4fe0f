import { TcFault } from './model.ts';

/** What a command does to its object; `show` stands for all that change nothing. */
export type Verb = 'add' | 'change' | 'replace' | 'delete' | 'show';

/** Where a command stands. */
export interface CommandPlace {
  readonly line: number;
  /** Network namespace; qualifies the device: `blue.eth0`. */
  readonly namespace: string;
  /** Takes a warning about a command that is carried out all the same. */
  warn(text: string, hint: string): void;
}

/** The name under which the device is kept: what a hop can be called. @throws TcFault if none is given */
export function deviceName(name: string | undefined, place: CommandPlace): string {
  if (name === undefined) throw new TcFault('no device is given', 'add dev NAME, for example dev eth0');
  const plain = (text: string): string => text.replaceAll(/[^\w.:+-]/g, '') || 'device';
  const kept = place.namespace === '' ? plain(name) : `${plain(place.namespace)}.${plain(name)}`;
  if (kept === '__proto__') {
    throw new TcFault(
      'a scenario can have no hop that is called __proto__',
      'give the device another name in the script',
    );
  }
  return kept;
}
