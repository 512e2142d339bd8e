// Resolves CTFtime's host name to this machine. Tests load this module into the platform.
import promises from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const { lookup } = promises
promises.lookup = (host, options) => lookup(host === 'oauth.ctftime.org' ? '127.0.0.1' : host, options)
syncBuiltinESMExports()
