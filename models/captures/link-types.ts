/** What stands before the network layer in a capture's packets, by link type (www.tcpdump.org/linktypes.html): bytes. */
const HEADER_BYTES: Readonly<Record<number, number>> = {
  0: 4, // NULL: BSD loopback
  1: 14, // ETHERNET
  12: 0, // RAW, as some systems number it
  14: 0, // RAW, as OpenBSD numbers it
  101: 0, // RAW
  108: 4, // LOOP
  113: 16, // LINUX_SLL: tcpdump -i any
  228: 0, // IPV4
  229: 0, // IPV6
  276: 20, // LINUX_SLL2
};
const ETHERNET_HEADER_BYTES = 14;

/** What is to be added to the length of a captured packet for its size as tc counts it; undefined: no network layer that tc sees. */
export function sizeDifferenceBytes(linkType: number): number | undefined {
  const headerBytes = HEADER_BYTES[linkType];
  return headerBytes === undefined ? undefined : ETHERNET_HEADER_BYTES - headerBytes;
}

/** What a message says of link types. */
export const LINK_TYPES_WORDS = 'packets of Ethernet, raw IP, loopback or Linux cooked capture';
