import { writeClassId } from '../units/class-id.ts';

/** The hop that an import makes of a netem, in whatever class it stands. */
export function netemHopName(device: string, classId: number | undefined): string {
  return classId === undefined ? `${device}-netem` : `${device}-netem-${writeClassId(classId)}`;
}

/** The hop that an import makes of a policer, the `index`-th of `count` on that side of the device. */
export function policerHopName(device: string, isIngress: boolean, index: number, count: number): string {
  return `${device}-${isIngress ? 'ingress' : 'police'}${count > 1 ? `-${index + 1}` : ''}`;
}
