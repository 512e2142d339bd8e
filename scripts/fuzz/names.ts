export const domain = 'play.test'
export const label = 'abcdefghijklmnop2345'
export const instanceId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'

/** Listeners of the product. `http2` and `secure` are two protocols on one port. */
const listeners = ['gateway', 'secure', 'http2', 'plain', 'pages', 'api', 'management'] as const
export type Listener = (typeof listeners)[number]
export type Ports = Readonly<Record<Exclude<Listener, 'http2'>, number>>
