// Resolves the name of CTFtime to this machine, in a platform that the tests start.
import promises from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const { lookup } = promises
promises.lookup = (host, options) => lookup(host === 'oauth.ctftime.org' ? '127.0.0.1' : host, options)
syncBuiltinESMExports()
