/** An IPv4 client of a dual-stack socket appears as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2): the address as people know it. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
